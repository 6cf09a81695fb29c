import { type Kysely, type RawBuilder, sql } from 'kysely';
import { shownKind, type ThingKind } from '../../../domain/deletions/kinds.ts';
import type { ServiceSettings } from '../../../domain/services/settings.ts';
import type { Effect } from '../../engine/effect.ts';
import type { JsonObject } from '../../postgres/json.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import { type Begun, beginDeletion, type NewDeletion } from '../begin.ts';
import { type ThingToPurge, tableOfThing } from './deleted-things.ts';

type Deleted = Omit<NewDeletion, 'kind'> & { kind: ThingKind };

/**
 * Begins the deletion of a thing and hides it: nobody finds a row with a `deletion_id`. A project takes along those of
 * its services and environments that were not deleted before it; they carry its deletion, and come back with it.
 */
export async function deleteThing(effect: Effect, thing: Deleted): Promise<Begun> {
  const begun = await beginDeletion(effect, thing);
  const { organizationId, kind, subjectId } = thing;
  const own = tenant(effect.kysely, organizationId);
  const carries = { deletion_id: begun.deletionId };
  if (kind !== 'left-volume')
    await own.updateTable(tableOfThing[kind]).set(carries).where('id', '=', subjectId).execute();
  if (kind === 'project') {
    for (const table of ['service', 'environment'] as const) {
      await own
        .updateTable(table)
        .set(carries)
        .where('project_id', '=', subjectId)
        .where('deletion_id', 'is', null)
        .execute();
    }
  }
  return begun;
}

/** All that carries a deletion carries another one from now on, or none. */
export async function carryInstead(
  effect: Effect,
  organizationId: string,
  { from, to }: { from: string; to: string | null },
): Promise<void> {
  const own = tenant(effect.kysely, organizationId);
  for (const table of ['project', 'environment', 'service', 'volume'] as const) {
    await own.updateTable(table).set({ deletion_id: to }).where('deletion_id', '=', from).execute();
  }
  const left = own.updateTable('left_volume').set({ deletion_id: to ?? from });
  await left.where('deletion_id', '=', from).execute();
}

/**
 * Approvals outlive a service that they were about together with others, or whose changes alone they showed: who decided
 * what stays known, and what they showed of the service goes.
 */
export async function forgetInApprovals({ kysely }: Effect, { organizationId, kind, id }: ThingToPurge): Promise<void> {
  if (tableOfThing[kind] !== 'service') return;
  const diff = without(sql`diff`, 'serviceId', id);
  const releases = without(sql`target -> 'releases'`, 'serviceId', id);
  const [services, removed, downtime] = ['services', 'removed', 'downtime'].map((name) =>
    without(sql`impact -> ${name}::text`, 'id', id),
  );
  // One that waits relies on values of the service, too, where its own refer to them.
  const references = sql`(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(basis -> 'references')
    where position(${id} in key) = 0)`;
  await sql`
    update approval set basis = case when decision is not null then '{}' when basis ? 'references'
        then jsonb_set(basis - ${id}::text, '{references}', ${references}) else basis - ${id}::text end, diff = ${diff},
      target = jsonb_set(target, '{releases}', ${releases}),
      impact = impact || jsonb_build_object('services', ${services}, 'removed', ${removed}, 'downtime', ${downtime})
    where organization_id = ${organizationId}
      and project_id = (select project_id from service where organization_id = ${organizationId} and id = ${id})
      and position(${id} in concat(basis, diff, impact, target)) > 0
  `.execute(kysely);
}

/** A list without what is of the service. */
function without(list: RawBuilder<unknown>, field: string, id: string): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(one order by place), '[]')
    from jsonb_array_elements(coalesce(${list}, '[]')) with ordinality as each (one, place)
    where one ->> ${field}::text is distinct from ${id}::text)`;
}

/** The settings of the newest release that mounts a volume, in an environment or in any. */
export async function mountingSettings(
  kysely: Kysely<Tables>,
  given: { organizationId: string; serviceId: string; volumeId: string; environmentId?: string },
): Promise<ServiceSettings | undefined> {
  const { organizationId, serviceId, volumeId, environmentId } = given;
  let query = tenant(kysely, organizationId)
    .selectFrom('release')
    .select('content')
    .where('service_id', '=', serviceId)
    .where(sql<boolean>`position(${volumeId} in content::text) > 0`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1);
  if (environmentId !== undefined) query = query.where('environment_id', '=', environmentId);
  return (await query.executeTakeFirst())?.content.settings;
}

interface Subject {
  deletionId: string;
  organizationId: string;
  projectId: string;
  kind: ThingKind;
  id: string;
  name: string;
}

/** The deeds that a deletion comes to. Each kind records its own `deleted`, with what that has ended. */
export type DeletionDeed = 'restored' | 'purge_requested' | 'purged' | 'deletion_failed';

/** Records a deed about a deletion, and hints at it and at its thing. */
export function recordDeletion(
  effect: Effect,
  deed: DeletionDeed,
  { deletionId, organizationId, projectId, kind, id, name }: Subject,
  { details = {}, started = false }: { details?: JsonObject; started?: boolean } = {},
): void {
  // Databases are services, as far as the log is concerned.
  const shown = shownKind(kind);
  const subject = shown === 'database' ? 'service' : shown;
  const workflowId = started ? deletionId : undefined;
  effect.audit(`${subject}.${deed}`, { organizationId, id, name, workflowId }, { ...details, deletionId });
  effect.change({ organizationId, kind: 'deletion', id: deletionId, projectId });
  if (deed !== 'restored') return;
  if (subject !== 'volume') effect.change({ organizationId, kind: subject, id, projectId });
  // Places without its project's pages show it, too.
  effect.change({ organizationId, kind: 'project', id: projectId, projectId });
}
