import { sql } from 'kysely';
import type { DeletionState } from '../../workflows/deletion/descriptor.ts';
import type { Effect } from '../engine/effect.ts';

export type PurgeClaim =
  | { answer: 'claimed' }
  | { answer: 'early'; milliseconds: number }
  /** The row has a higher revision than the claim. */
  | { answer: 'ahead' }
  /** Somebody has decided otherwise: the actor obeys the row. */
  | { answer: 'refused'; state: DeletionState };

/** The actor's guarded step `retained → purging`. Claiming again what is claimed counts as claimed. */
export async function claimPurge(effect: Effect, deletionId: string, revision: number): Promise<PurgeClaim> {
  const row = await effect.kysely
    .selectFrom('deletion')
    .select(['state', 'revision', 'finished_at'])
    .select(sql<number>`extract(epoch from restore_until - now())::float8 * 1000`.as('milliseconds'))
    .where('id', '=', deletionId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new Error(`There is no deletion ${deletionId}: its row was removed.`);
  if (row.finished_at !== null) return { answer: 'refused', state: row.state };
  if (row.revision > revision) return { answer: 'ahead' };
  if (row.state === 'purging') return { answer: 'claimed' };
  if (row.milliseconds > 0) return { answer: 'early', milliseconds: Math.ceil(row.milliseconds) };
  await effect.kysely
    .updateTable('deletion')
    .set({ state: 'purging', revision, purge_started_at: sql`coalesce(purge_started_at, now())`, blocker: null })
    .where('id', '=', deletionId)
    .execute();
  return { answer: 'claimed' };
}
