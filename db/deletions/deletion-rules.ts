import { sql } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import type { DeletionState } from '../../workflows/deletion/descriptor.ts';

/** A decision that the row contradicts: what stands in its way. */
export function decided(state: DeletionState, verb: 'restored' | 'purged', noun = 'organization'): Problem {
  const why = {
    retained:
      verb === 'restored' ? 'its retention has ended or its purge was requested' : 'its purge was already requested',
    purging: 'it is being purged',
    purged: 'it was purged',
    restored: 'it was already restored',
    failed: 'its purge failed after it had started',
  }[state];
  return new Problem('already-decided', `The ${noun} can no longer be ${verb}: ${why}.`);
}

/** Whether it may be restored. */
export const restorable = sql<boolean>`deletion.purge_started_at is null and (
  (deletion.state = 'retained' and deletion.purge_requested_at is null and deletion.restore_until > now())
  or deletion.state = 'failed')`;
/** Whether its purge may be requested. */
export const purgeable = sql<boolean>`deletion.state = 'failed'
  or (deletion.state = 'retained' and deletion.purge_requested_at is null)`;
/** Whether its purge was requested and has not begun: requesting it again changes nothing and tells its actor again. */
export const repeatable = sql<boolean>`deletion.state = 'retained' and deletion.purge_requested_at is not null`;
