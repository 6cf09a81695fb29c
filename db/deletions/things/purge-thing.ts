import { sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import { isThingKind, shownKind } from '../../../domain/deletions/kinds.ts';
import { actorKinds, descriptors } from '../../../workflows/descriptors.ts';
import { lockAdmission } from '../../deployments/admission.ts';
import { deleteInBatches } from '../../engine/delete-in-batches.ts';
import { type Author, type Effect, effect } from '../../engine/effect.ts';
import { forgetLinks } from '../../notifications/notifications.ts';
import type { Database } from '../../postgres/database.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { Secrets } from '../../workloads/sealed-workload.ts';
import { beginDeletion } from '../begin.ts';
import { deleteData } from '../data/delete-data.ts';
import { decided, purgeable, repeatable } from '../deletions.ts';
import type { PurgeProgress } from '../purge.ts';
import { type DeletedThing, findDeletedThing, type ThingToPurge, tableOfThing } from './deleted-things.ts';
import { type Doomed, doomedRows } from './doomed.ts';
import { carryInstead, forgetInApprovals, recordDeletion } from './hide.ts';
import { releaseLeftVolume } from './left-volume.ts';

/**
 * Retires the releases that mount a volume, so that nobody returns to one whose data are gone. Answers who still mounts
 * it, in a sentence: its purge waits for that.
 */
async function releaseVolume(effect: Effect, { organizationId, kind, id }: ThingToPurge): Promise<string | undefined> {
  if (kind !== 'volume') return undefined;
  const own = tenant(effect.kysely, organizationId);
  const volume = await own
    .selectFrom('volume')
    .innerJoin('service', 'service.id', 'volume.service_id')
    .select(['volume.service_id as serviceId', 'service.project_id as projectId'])
    .where('volume.id', '=', id)
    .executeTakeFirst();
  if (volume === undefined) return undefined;
  // A deployment takes it, too.
  await lockAdmission(effect, { organizationId, projectId: volume.projectId });
  const { rows } = await sql<{ name: string }>`
    select environment.name from environment_service place
    join environment on environment.organization_id = place.organization_id and environment.id = place.environment_id
    left join release live on live.organization_id = place.organization_id and live.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.service_id = ${volume.serviceId}
      and (position(${id} in place.settings::text) > 0 or position(${id} in live.content::text) > 0
        or exists (select from deployment join release on release.organization_id = deployment.organization_id
            and release.id = deployment.release_id
          where deployment.organization_id = place.organization_id and deployment.service_id = place.service_id
            and deployment.environment_id = place.environment_id and deployment.finished_at is null
            and position(${id} in release.content::text) > 0))
    order by environment.name limit 1
  `.execute(effect.kysely);
  const [mounted] = rows;
  if (mounted !== undefined) return `The environment "${mounted.name}" still mounts it.`;
  await own
    .updateTable('release')
    .set({ retired_at: sql<Date>`coalesce(retired_at, now())` })
    .where('service_id', '=', volume.serviceId)
    .where(sql<boolean>`position(${id} in content::text) > 0`)
    .execute();
  return undefined;
}

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

/**
 * Somebody does not want to wait until the retention has passed. A deletion that failed is tried again, as a new one; a
 * repeated request tells the actor again. Throws a Problem otherwise.
 */
export async function requestPurgeOfThing(effect: Effect, thing: DeletedThing): Promise<void> {
  const { deletionId, organizationId, kind, id: subjectId, projectId, name, slug, context, detail } = thing;
  const row = await effect.kysely
    .selectFrom('deletion')
    .select(['state', 'purge_started_at as purgeStartedAt'])
    .select([purgeable.as('purgeable'), repeatable.as('repeatable')])
    .where('id', '=', deletionId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const now = await findDeletedThing(effect.kysely, organizationId, shownKind(kind), subjectId);
  if (now?.deletionId !== deletionId) throw decided(row.state, 'purged', shownKind(kind));
  const tell = () =>
    effect.tell({ to: actorId('deletion', deletionId), message: 'purgeNow', organizationId, body: {} });
  if (row.repeatable) {
    tell();
    return;
  }
  if (!row.purgeable) throw decided(row.state, 'purged', shownKind(kind));
  if (row.state === 'failed') {
    const { purgeStartedAt } = row;
    const subject = { organizationId, kind, subjectId, projectId, name, slug, context, detail };
    const again = await beginDeletion(effect, { ...subject, hours: 0, purgeRequested: true, purgeStartedAt });
    await carryInstead(effect, organizationId, { from: deletionId, to: again.deletionId });
    recordDeletion(effect, 'purge_requested', { ...thing, deletionId: again.deletionId }, { started: true });
    return;
  }
  await effect.kysely
    .updateTable('deletion')
    .set({ purge_requested_at: sql`now()`, restore_until: sql`least(restore_until, now())` })
    .where('id', '=', deletionId)
    .execute();
  recordDeletion(effect, 'purge_requested', thing);
  tell();
}
