import { sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';

/** Ends a deletion of data that are in use again, as if somebody had restored them. */
export async function countAsRestored(
  effect: Effect,
  { deletionId, organizationId, projectId }: { deletionId: string; organizationId: string; projectId: string },
): Promise<void> {
  await effect.kysely
    .updateTable('deletion')
    .set({
      state: 'restored',
      finished_at: sql`coalesce(finished_at, now())`,
      revision: sql`revision + 1`,
      blocker: null,
    })
    .where('id', '=', deletionId)
    .execute();
  effect.tell({ to: `deletion/${deletionId}`, message: 'restored', organizationId, body: {} });
  effect.change({ organizationId, kind: 'deletion', id: deletionId, projectId });
}
