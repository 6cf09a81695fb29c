import { sql } from 'kysely';
import { isThingKind } from '../../../domain/deletions/kinds.ts';
import { actorKinds, descriptors } from '../../../workflows/descriptors.ts';
import { deleteInBatches } from '../../engine/delete-in-batches.ts';
import { type Author, type Effect, effect } from '../../engine/effect.ts';
import { forgetLinks } from '../../notifications/forget-links.ts';
import type { Database } from '../../postgres/database.ts';
import type { Secrets } from '../../workloads/sealed-workload.ts';
import { deleteData } from '../data/delete-data.ts';
import type { PurgeProgress } from '../purge.ts';
import { type Doomed, doomedRows } from './doomed.ts';
import { forgetInApprovals } from './forget-approvals.ts';
import { releaseLeftVolume } from './left-volume.ts';
import { releaseVolume } from './release-volume.ts';
import { type ThingToPurge, tableOfThing } from './thing-row.ts';

/**
 * `waits`: something has to end first, in a sentence; asked again, it goes on. `undeleted`: data on a cluster that nobody reaches any
 * more, in a sentence.
 */
export type Purged = { deletedRows: number; waits?: string; undeleted?: string };

interface Purging {
  database: Database;
  keyring: Secrets;
  author: Author;
  batchSize: number;
  /** May throw to stop it. */
  onProgress(progress: PurgeProgress): void;
}

/**
 * Deletes a thing for good: first its data on clusters, then its rows in batches that each commit, its own row last. Can be
 * asked again at any time and goes on from where it stood; nothing is left to do when its row is gone.
 */
export async function purgeThing(purging: Purging, thing: ThingToPurge): Promise<Purged> {
  const { database, batchSize, onProgress } = purging;
  const doomed = await doomedRows(database, thing);
  const running = await stillRunning(database, doomed);
  if (running > 0) {
    const them = running === 1 ? 'A deployment or change of it is' : `${running} deployments or changes of it are`;
    return { deletedRows: 0, waits: `${them} still being ended.` };
  }
  const waits = await effect(database, purging.author, async (asking) => {
    const mounted = await (thing.kind === 'left-volume' ? releaseLeftVolume : releaseVolume)(asking, thing);
    if (mounted !== undefined) return mounted;
    const data = await deleteData(asking, purging.keyring, thing);
    // Before the rows go that tell of it: a purge that is killed half way must not forget it.
    if (data.waits === undefined && data.undeleted !== undefined)
      await noteUndeleted(asking, thing.deletionId, data.undeleted);
    return data.waits;
  });
  if (waits !== undefined) return { deletedRows: 0, waits };
  await effect(database, purging.author, async (forgetting) => {
    await forgetInApprovals(forgetting, thing);
    await forgetLinks(forgetting, thing);
  });
  let deletedRows = 0;
  // The thing's own row stays until nothing else is left, so that a purge that fails half way is still listed.
  const root = tableOfThing[thing.kind];
  const ordered = [...doomed.filter(({ table }) => table !== root), ...doomed.filter(({ table }) => table === root)];
  for (const { table, where } of ordered) {
    deletedRows += await deleteInBatches(database.kysely, {
      ...{ table, where, most: batchSize, whole: true },
      onBatch: (deleted) => onProgress({ table, deleted }),
    });
  }
  const undeleted = await undeletedOf(database, thing.deletionId);
  return undeleted === null ? { deletedRows } : { deletedRows, undeleted };
}

/** The first note counts: it was made when all was there. */
async function noteUndeleted({ kysely }: Effect, deletionId: string, undeleted: string): Promise<void> {
  const note = kysely.updateTable('deletion').set({ undeleted: sql`coalesce(undeleted, ${undeleted})` });
  await note.where('id', '=', deletionId).execute();
}

async function undeletedOf({ kysely }: Database, deletionId: string): Promise<string | null> {
  const row = await kysely.selectFrom('deletion').select('undeleted').where('id', '=', deletionId).executeTakeFirst();
  return row?.undeleted ?? null;
}

/** Actors of its rows that have not ended. */
async function stillRunning(database: Database, doomed: readonly Doomed[]): Promise<number> {
  const tables = new Set(actorKinds.map((kind) => descriptors[kind].table as string));
  let count = 0;
  for (const { table, where } of doomed) {
    if (!tables.has(table)) continue;
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} where ${where} and finished_at is null
    `.execute(database.kysely);
    count += rows[0]?.count ?? 0;
  }
  return count;
}

/** The thing that a deletion is about. */
export function thingOf(row: {
  id: string;
  organization_id: string;
  kind: string;
  subject_id: string | null;
}): ThingToPurge {
  const { id: deletionId, organization_id: organizationId, kind, subject_id: id } = row;
  if (isThingKind(kind) && id !== null) return { deletionId, organizationId, kind, id };
  throw new Error(`The deletion ${deletionId} is not about a part of an organization.`);
}
