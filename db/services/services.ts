import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { OrganizationAction } from '../../domain/audit-actions.ts';
import { Problem } from '../../domain/problems.ts';
import { sharedScope } from '../../domain/references/names.ts';
import type { ServiceDefinition } from '../../domain/services/settings.ts';
import { freeSlug, slugOf } from '../../domain/slug.ts';
import type { Effect } from '../engine/effect.ts';
import { guardChanged } from '../guards/guard-changed.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ProjectRef } from '../projects/projects.ts';
import { type Finder, foundColumns, hasWords, isWithin } from '../search/finder.ts';

/** Names a service, its project and whose it is. */
export interface ServiceRef {
  id: string;
  organizationId: string;
  projectId: string;
}

export interface ServiceView extends ServiceRef {
  name: string;
  slug: string;
  template: string | null;
  /** The settings of environments to come. */
  definition: ServiceDefinition;
  canvasX: number | null;
  canvasY: number | null;
  skipProductionApproval: boolean;
  skipProductionApprovalAt: Date | null;
  skipProductionApprovalBy: string | null;
  createdAt: Date;
  /** The draft that adds it to an environment. */
  stagedIn: { changeSetId: string; environmentId: string; stagedBy: { id: string; name: string } } | null;
}

interface ServicePage extends Page {
  /** Words of their names. */
  q?: string | undefined;
  /** Those alone that the environment will have once its draft is applied. */
  environmentId?: string | undefined;
}

export async function findService(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ServiceView | undefined> {
  return await services(kysely, organizationId).where('service.id', '=', id).executeTakeFirst();
}

/** The services of a project, oldest first. */
export async function listServices(
  kysely: Kysely<Tables>,
  { id, organizationId }: ProjectRef,
  { limit, after, q, environmentId }: ServicePage,
): Promise<ServiceView[]> {
  let query = services(kysely, organizationId)
    .where('service.project_id', '=', id)
    .where(hasWords(q, [sql.ref('service.name')]))
    .$call(pageOf('service', 'oldest', { limit, after }));
  if (environmentId !== undefined) query = query.where(isWantedIn(environmentId));
  return await query.execute();
}

/** Creates a service without processes. Its slug follows from its name; a second one of the same name would be taken for the first. */
export async function createService(
  effect: Effect,
  project: ProjectRef,
  { name, definition }: { name: string; definition: ServiceDefinition },
): Promise<ServiceView> {
  const { organizationId } = project;
  const own = tenant(effect.kysely, organizationId);
  const id = uuid();
  for (let inserted = false; !inserted; ) {
    const others = await own
      .selectFrom('service')
      .select(['id', 'slug', 'name'])
      .where('project_id', '=', project.id)
      .where('deletion_id', 'is', null)
      .execute();
    const wanted = slugOf(name);
    const existing = others.find((one) => one.slug === wanted || one.name.toLowerCase() === name.toLowerCase());
    if (existing !== undefined) throw taken(existing);
    // References to shared variables begin with that word.
    const slug = freeSlug(wanted || 'service', new Set([sharedScope, ...others.map((one) => one.slug)]));
    const row = await own
      .insertInto('service')
      .values({ id, project_id: project.id, name, slug, definition })
      .onConflict((conflict) => conflict.columns(['project_id', 'slug']).where('deletion_id', 'is', null).doNothing())
      .returning('id')
      .executeTakeFirst();
    inserted = row !== undefined;
  }
  const service = { id, organizationId, projectId: project.id };
  recordService(effect, 'service.created', { ...service, name });
  return await writtenService(effect, service);
}

function taken(existing: { id: string; slug: string; name: string }): Problem {
  const message = `is that of a service of this project (${existing.slug}): add that one to the environment, or choose another name`;
  const errors = [{ location: 'body.name', message, value: existing.name }];
  return new Problem('service-exists', `The name "${existing.name}" ${message}.`, { errors, existing });
}

/** The row, kept from others until the transaction ends. */
export async function lockService(effect: Effect, { id, organizationId }: ServiceRef) {
  return await tenant(effect.kysely, organizationId)
    .selectFrom('service')
    .select(['name', 'definition', 'skip_production_approval as skipProductionApproval'])
    .where('id', '=', id)
    .where('deletion_id', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

interface ServiceChanges {
  name?: string;
  definition?: ServiceDefinition;
  /** Another one than before, with the person or token who decided it. */
  skipProductionApproval?: { to: boolean; by: string };
}

/** Writes these columns. Its slug stays, since it stands in addresses. */
export async function changeService(
  effect: Effect,
  service: ServiceRef & { name: string },
  { name, definition, skipProductionApproval }: ServiceChanges,
  details: JsonObject,
): Promise<void> {
  const skipping = skipProductionApproval && {
    skip_production_approval: skipProductionApproval.to,
    skip_production_approval_at: skipProductionApproval.to ? sql<Date>`now()` : null,
    skip_production_approval_by: skipProductionApproval.to ? skipProductionApproval.by : null,
  };
  await tenant(effect.kysely, service.organizationId)
    .updateTable('service')
    .set({ ...(name === undefined ? {} : { name }), ...(definition === undefined ? {} : { definition }), ...skipping })
    .where('id', '=', service.id)
    .execute();
  const named = { ...service, name: name ?? service.name };
  recordService(effect, 'service.updated', named, details);
  if (skipProductionApproval === undefined) return;
  const { to } = skipProductionApproval;
  await guardChanged(effect, named, { guard: 'skip-approval', before: !to, after: to });
}

/** Records a change of a service in the audit log, and hints at it on event streams. */
export function recordService(
  effect: Effect,
  action: OrganizationAction & `service.${string}`,
  { id, organizationId, projectId, name }: ServiceRef & { name: string },
  details?: JsonObject,
): void {
  effect.audit(action, { organizationId, id, name }, details);
  effect.change({ organizationId, kind: 'service', id, projectId });
}

export async function writtenService(
  effect: Effect,
  { id, organizationId }: Pick<ServiceRef, 'id' | 'organizationId'>,
): Promise<ServiceView> {
  const service = await findService(effect.kysely, organizationId, id);
  if (service === undefined) throw new Error(`The service ${id} that was just written is not there.`);
  return service;
}

/** As `applyItems` of domain/change-sets says it: the draft's item, which adds or removes the service, has the last word. */
function isWantedIn(environmentId: string) {
  return sql<boolean>`coalesce(
    (select item.kind = 'service.create'
      from draft join change_set_item item on item.change_set_id = draft.id and item.slot = 'service ' || service.id
      where draft.organization_id = service.organization_id and draft.environment_id = ${environmentId}),
    (select true from environment_service place
      where place.organization_id = service.organization_id and place.environment_id = ${environmentId}
        and place.service_id = service.id),
    false)`;
}

// The draft's item by its slot, which says the service: `slotOf` of domain/change-sets/items.ts.
const stagedIn = sql<ServiceView['stagedIn']>`(
  select json_build_object('changeSetId', draft.id, 'environmentId', environment.id,
    'stagedBy', json_build_object('id', item.staged_by_id, 'name', item.staged_by_name))
  from environment
  join draft on draft.environment_id = environment.id
  join change_set_item item on item.change_set_id = draft.id and item.slot = 'service ' || service.id
  where environment.organization_id = service.organization_id and environment.project_id = service.project_id
    and environment.deletion_id is null and item.kind = 'service.create'
  order by item.created_at limit 1)`;

function services(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('service')
    .where('service.deletion_id', 'is', null)
    .select([
      'service.id',
      'service.organization_id as organizationId',
      'service.project_id as projectId',
      'service.name',
      'service.slug',
      'service.template',
      'service.definition',
      'service.canvas_x as canvasX',
      'service.canvas_y as canvasY',
      'service.skip_production_approval as skipProductionApproval',
      'service.skip_production_approval_at as skipProductionApprovalAt',
      'service.skip_production_approval_by as skipProductionApprovalBy',
      'service.created_at as createdAt',
    ])
    .select(stagedIn.as('stagedIn'));
}

/** Its page is of one environment: production, if it is there, else the oldest, else the one that its creation is staged in. */
const where = sql`
  select environment.slug from environment
  left join environment_service place on place.environment_id = environment.id and place.service_id = service.id
  left join draft on draft.environment_id = environment.id
  left join change_set_item creation on creation.change_set_id = draft.id and creation.service_id = service.id
    and creation.kind = 'service.create'
  where environment.organization_id = service.organization_id and environment.project_id = service.project_id
    and environment.deletion_id is null and coalesce(place.service_id, creation.service_id) is not null
  order by place.service_id is null, environment.production desc, environment.created_at limit 1`;

export const foundServices: Finder = {
  kind: 'service',
  select: (organizationId, sought) => sql`
    select ${foundColumns(sought, 'service', {
      id: sql`service.id`,
      name: sql`service.name`,
      detail: sql`project.name`,
      place: sql`jsonb_strip_nulls(
        jsonb_build_object('project', project.slug, 'service', service.slug, 'environment', (${where}))
      )`,
    })}
    from service
    join project on project.id = service.project_id and project.deletion_id is null
    where service.organization_id = ${organizationId} and service.deletion_id is null
      and ${isWithin(sought, sql`service.project_id`)}`,
};
