import { sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import { type DeletionKind, shownKind } from '../../../domain/deletions/kinds.ts';
import { Problem } from '../../../domain/problems.ts';
import { freeSlug } from '../../../domain/slug.ts';
import { lockAdmission } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import { uniqueViolation } from '../../postgres/connection-failure.ts';
import { tenant } from '../../postgres/tenant.ts';
import { reviveMounted } from '../../services/removal/left-volumes.ts';
import { decided, restorable } from '../deletions.ts';
import { type DeletedThing, findDeletedThing, tableOfThing } from './deleted-things.ts';
import { carryInstead, recordDeletion } from './hide.ts';
import { type LeftVolume, takeBack } from './left-volume.ts';

/**
 * Whatever ran when the thing was deleted is suspended when it comes back: nobody is surprised by instances that start by
 * themselves. Answers whether anything was.
 */
async function stopRestored(effect: Effect, { organizationId, kind, id }: DeletedThing): Promise<boolean> {
  if (kind === 'volume' || kind === 'left-volume') return false;
  const column = kind === 'database' ? 'service_id' : (`${kind}_id` as const);
  const stopped = await tenant(effect.kysely, organizationId)
    .updateTable('environment_service')
    .set({
      suspended: true,
      suspended_at: sql<Date>`coalesce(suspended_at, clock_timestamp())`,
      suspended_by: sql<string>`coalesce(suspended_by, ${effect.author.name})`,
    })
    .where(column, '=', id)
    .where('live_release_id', 'is not', null)
    .returning('service_id')
    .execute();
  return stopped.length > 0;
}

interface RestoredThing extends Pick<DeletedThing, 'kind' | 'id' | 'name' | 'projectId'> {
  slug: string;
  /** Something of it ran when it was deleted, and starts when somebody resumes it. */
  stopped: boolean;
  /** Data that an environment had left, which it is to mount again. */
  left: LeftVolume | undefined;
}

/**
 * Brings a thing back with all that it took along, under the ids that they had. `slug`: another one where the old one is
 * taken; of a volume, another name. Throws a Problem otherwise.
 */
export async function restoreThing(effect: Effect, thing: DeletedThing, slug?: string): Promise<RestoredThing> {
  await lockAdmission(effect, thing);
  const { deletionId, organizationId, kind, id, projectId } = thing;
  const locked = await effect.kysely
    .selectFrom('deletion')
    .select('state')
    .select(restorable.as('restorable'))
    .where('id', '=', deletionId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const now = await findDeletedThing(effect.kysely, organizationId, shownKind(kind), id);
  if (!locked.restorable || now?.deletionId !== deletionId) throw decided(locked.state, 'restored', shownKind(kind));
  refuseWithoutParent(now);
  await refuseWhileEnding(effect, now);
  const left = kind === 'left-volume' ? await takeBack(effect, now) : undefined;
  if (left?.restoreId != null)
    return { kind, id, name: now.name, projectId, slug: '', stopped: false, left: undefined };
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
  const stopped = await stopRestored(effect, now);
  const volume = kind === 'volume' || kind === 'left-volume';
  const name = kind === 'volume' ? (slug ?? now.name) : now.name;
  await show(effect, now, slug);
  await reviveMounted(effect, now);
  recordDeletion(effect, 'restored', { ...now, name }, { details: stopped ? { stopped } : {} });
  if (now.state === 'retained') {
    effect.tell({ to: actorId('deletion', deletionId), message: 'restored', organizationId, body: {} });
  }
  return { kind, id, name, projectId, slug: volume ? '' : (slug ?? now.slug), stopped, left };
}

function refuseWithoutParent({ kind, name, parent }: DeletedThing): void {
  if (parent === null) return;
  throw new Problem(
    'conflict',
    `The ${shownKind(kind)} "${name}" is in the ${parent.kind} "${parent.name}", which is deleted, too: restore that first.`,
  );
}

/** The end of a deployment takes the workload along, or gives it back; both have to have happened. */
async function refuseWhileEnding(effect: Effect, { organizationId, kind, id, name }: DeletedThing): Promise<void> {
  if (kind === 'volume' || kind === 'left-volume') return;
  const column = kind === 'database' ? 'service_id' : (`${kind}_id` as const);
  const open = await tenant(effect.kysely, organizationId)
    .selectFrom('deployment')
    .select('id')
    .where(column, '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (open === undefined) return;
  throw new Problem(
    'conflict',
    `A deployment of "${name}" is still being ended on its cluster (${open.id}): restore it when that is done.`,
  );
}

async function show(effect: Effect, thing: DeletedThing, slug: string | undefined): Promise<void> {
  const { organizationId, kind, id, deletionId } = thing;
  const own = tenant(effect.kysely, organizationId);
  const taken = (noun: string, value: string) =>
    new Problem('slug-taken', `The ${noun} "${value}" is taken by now: restore it with another one, as \`slug\`.`, {
      errors: [{ location: 'body.slug', message: 'must be another one than those in use', value }],
    });
  try {
    if (kind === 'volume') {
      await own
        .updateTable('volume')
        .set({ removed_at: null, ...(slug === undefined ? {} : { name: slug }) })
        .where('id', '=', id)
        .execute();
    } else if (kind !== 'left-volume') {
      if (slug !== undefined) await own.updateTable(tableOfThing[kind]).set({ slug }).where('id', '=', id).execute();
      if (kind === 'environment') await freeNamespace(effect, thing);
    }
    await carryInstead(effect, organizationId, { from: deletionId, to: null });
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === 'volume_name_unique') throw taken('name', slug ?? thing.name);
    if (violated?.endsWith('_slug_unique')) throw taken('slug', slug ?? thing.slug);
    throw error;
  }
}

/** Names of spaces on clusters are told apart in the whole organization. */
async function freeNamespace(effect: Effect, { organizationId, id }: DeletedThing): Promise<void> {
  const turn = JSON.stringify(['namespaces', organizationId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`.execute(effect.kysely);
  const own = tenant(effect.kysely, organizationId);
  const { namespace } = await own
    .selectFrom('environment')
    .select('namespace')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const others = await own.selectFrom('environment').select('namespace').where('deletion_id', 'is', null).execute();
  const free = freeSlug(namespace, new Set(others.map((one) => one.namespace)));
  if (free !== namespace) await own.updateTable('environment').set({ namespace: free }).where('id', '=', id).execute();
}

interface Purging {
  id: string;
  organization_id: string;
  kind: DeletionKind;
  subject_id: string | null;
}

/** By which data that were left belong to what is purged. */
const columns = {
  service: 'service_id',
  database: 'service_id',
  volume: 'volume_id',
  environment: 'environment_id',
} as const;

/**
 * Deletions of what is inside end with the purge of the thing, which takes their rows along: their actors have nothing left
 * to wait for. One that purges already goes on by itself, and finds nothing.
 */
export async function settleInner(effect: Effect, deletion: Purging): Promise<void> {
  const { id: deletionId, organization_id: organizationId, kind, subject_id: id } = deletion;
  if (kind === 'left-volume') return;
  const inside =
    kind === 'organization'
      ? sql<boolean>`true`
      : kind === 'project'
        ? sql<boolean>`project_id = ${id}`
        : sql<boolean>`exists (select from left_volume where left_volume.organization_id = deletion.organization_id
            and left_volume.id = deletion.subject_id and left_volume.${sql.ref(columns[kind])} = ${id})
          or kind = 'volume' and exists (select from volume where volume.organization_id = deletion.organization_id
            and volume.id = deletion.subject_id and volume.service_id = ${id})`;
  const rows = await effect.kysely
    .selectFrom('deletion')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '<>', deletionId)
    .where('kind', '<>', 'organization')
    .where('state', '=', 'retained')
    .where('finished_at', 'is', null)
    .where(inside)
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const { id: inner } of rows) {
    await effect.kysely
      .updateTable('deletion')
      .set({ state: 'purged', finished_at: sql`now()`, revision: sql`revision + 1`, blocker: null })
      .where('id', '=', inner)
      .execute();
    effect.tell({ to: actorId('deletion', inner), message: 'purgeNow', organizationId, body: {} });
    effect.change({ organizationId, kind: 'deletion', id: inner });
  }
}
