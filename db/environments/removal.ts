import { type Kysely, sql } from 'kysely';
import { discardDraft } from '../change-sets/draft/unstage.ts';
import { lockDraft } from '../change-sets/drafts.ts';
import { draftItems } from '../change-sets/items.ts';
import { deleteThing } from '../deletions/things/hide.ts';
import { admit, lockAdmission } from '../deployments/admission.ts';
import { withdraw } from '../deployments/withdraw.ts';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { counted } from '../services/removal/impact.ts';
import { type EnvironmentRef, type EnvironmentView, lockEnvironment, recordEnvironment } from './environments.ts';

interface RemovedEnvironment {
  organizationId: string;
  projectId: string;
  environmentId: string;
}

/** Closes what waits for a decision there, and discards what is staged. Answers how many changes. Before it is hidden. */
export async function closeDraft(effect: Effect, place: RemovedEnvironment): Promise<number> {
  const { organizationId, environmentId } = place;
  await lockDraft(effect, place);
  const held = await tenant(effect.kysely, organizationId)
    .selectFrom('approval')
    .select('id')
    .where('environment_id', '=', environmentId)
    .where('decision', 'is', null)
    .where('change_set_id', 'is not', null)
    .where('deployment_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const by = { id: effect.author.id, name: effect.author.name };
  for (const { id } of held) await admit(effect, place, { event: 'decide', approvalId: id, decision: 'cancelled', by });
  const draft = await lockDraft(effect, place);
  const items = await draftItems(effect.kysely, place, draft.id);
  await discardDraft(effect, place, draft.id);
  return items.length;
}

/** Ends every service there: deployments are cancelled or waited for, and nothing is wanted on the cluster. Once it is hidden. */
export async function stopServices(
  effect: Effect,
  place: RemovedEnvironment,
  { wait }: { wait: boolean },
): Promise<void> {
  const { organizationId, environmentId } = place;
  const { rows } = await sql<{ id: string }>`
    select service_id as id from environment_service
    where organization_id = ${organizationId} and environment_id = ${environmentId}
    union select service_id from deployment
    where organization_id = ${organizationId} and environment_id = ${environmentId} and finished_at is null
    order by id
  `.execute(effect.kysely);
  for (const { id: serviceId } of rows) await withdraw(effect, { ...place, serviceId }, { wait });
}

/** All that the deletion of an environment ends. */
interface EnvironmentImpact {
  services: { id: string; name: string }[];
  databases: { id: string; name: string; engine: string }[];
  /** Added by its draft alone: they are lost, since they were never applied. */
  stagedServices: { id: string; name: string }[];
  cluster: { id: string; name: string } | null;
  inFlightDeployments: number;
  pendingApprovals: number;
  stagedChanges: number;
  /** The project has no other one. */
  lastEnvironment: boolean;
  /** Of services; those of the environment itself included. */
  variables: number;
  volumes: { count: number; sizeBytes: number };
}

interface Row extends Omit<EnvironmentImpact, 'services' | 'databases' | 'volumes'> {
  placed: { id: string; name: string; template: string | null }[];
  volumeCount: number;
  volumeBytes: number;
}

export async function environmentImpact(
  kysely: Kysely<Tables>,
  { id, organizationId, projectId }: EnvironmentRef,
): Promise<EnvironmentImpact> {
  const own = (table: string) => sql.raw(`${table}.organization_id = place_of.organization_id`);
  const { rows } = await sql<Row>`
    with place_of as (
      select organization_id, id, cluster_id from environment where organization_id = ${organizationId} and id = ${id}
    ), placed as (
      select service.id, service.name, service.template, place.settings from place_of
      join environment_service place on ${own('place')} and place.environment_id = place_of.id
      join service on ${own('service')} and service.id = place.service_id and service.deletion_id is null
    ), mounted as (
      select (volume.value ->> 'sizeBytes')::float8 as bytes from placed
      cross join jsonb_each(placed.settings -> 'processes') process
      cross join jsonb_each(coalesce(process.value -> 'volumes', '{}')) volume
    )
    select
      coalesce((select json_agg(json_build_object('id', id, 'name', name, 'template', template) order by name, id)
        from placed), '[]') as placed,
      coalesce((select json_agg(json_build_object('id', service.id, 'name', service.name) order by service.name, service.id)
        from draft
        join change_set_item item on ${own('item')} and item.change_set_id = draft.id and item.kind = 'service.create'
        join service on ${own('service')} and service.id = item.service_id and service.deletion_id is null
        where ${own('draft')} and draft.environment_id = place_of.id
          and not exists (select from placed where placed.id = service.id)), '[]') as "stagedServices",
      (select json_build_object('id', cluster.id, 'name', cluster.name) from cluster
        where ${own('cluster')} and cluster.id = place_of.cluster_id) as cluster,
      (select count(*)::int from deployment where ${own('deployment')} and deployment.environment_id = place_of.id
        and deployment.finished_at is null) as "inFlightDeployments",
      (select count(*)::int from approval where ${own('approval')} and approval.environment_id = place_of.id
        and approval.decision is null) as "pendingApprovals",
      (select count(*)::int from draft join change_set_item item on ${own('item')} and item.change_set_id = draft.id
        where ${own('draft')} and draft.environment_id = place_of.id) as "stagedChanges",
      not exists (select from environment other where ${own('other')} and other.project_id = ${projectId}
        and other.id <> place_of.id and other.deletion_id is null) as "lastEnvironment",
      (select count(*)::int from variable where ${own('variable')} and variable.environment_id = place_of.id
        and variable.service_id in (select id from placed))
        + (select count(*)::int from shared_variable shared where ${own('shared')}
          and shared.environment_id = place_of.id) as variables,
      (select count(*)::int from mounted) as "volumeCount",
      (select coalesce(sum(bytes), 0)::float8 from mounted) as "volumeBytes"
    from place_of
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no environment ${id}.`);
  const { placed, volumeCount: count, volumeBytes: sizeBytes, ...impact } = row;
  return {
    ...impact,
    services: placed.flatMap(({ template, ...service }) => (template === null ? [service] : [])),
    databases: placed.flatMap(({ template, ...one }) => (template === null ? [] : [{ ...one, engine: template }])),
    volumes: { count, sizeBytes },
  };
}

/**
 * Deletes an environment: its services stop, nothing is staged or held there any more, and its slug is free. Settings,
 * variables, releases and volumes stay until its retention has passed. False: somebody else has deleted it.
 */
export async function deleteEnvironment(
  effect: Effect,
  environment: EnvironmentView,
  { wait }: { wait: boolean },
): Promise<boolean> {
  const { id, organizationId, projectId, name, slug } = environment;
  await lockAdmission(effect, environment);
  if ((await lockEnvironment(effect, environment)) === undefined) return false;
  const impact = await environmentImpact(effect.kysely, environment);
  const place = { organizationId, projectId, environmentId: id };
  const stagedChanges = await closeDraft(effect, place);
  const project = await tenant(effect.kysely, organizationId)
    .selectFrom('project')
    .select('name')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const services = impact.services.length + impact.databases.length;
  const parts = [
    counted(services, 'service'),
    ...(impact.volumes.count === 0 ? [] : [counted(impact.volumes.count, 'volume')]),
  ];
  const { deletionId, restoreUntil } = await deleteThing(effect, {
    ...{ organizationId, projectId, kind: 'environment', subjectId: id, name, slug },
    ...{ context: project.name, detail: services === 0 ? '' : parts.join(', ') },
  });
  await stopServices(effect, place, { wait });
  recordEnvironment(effect, 'environment.deleted', environment, {
    deletionId,
    restoreUntil: restoreUntil.toISOString(),
    services,
    deployments: impact.inFlightDeployments,
    approvals: impact.pendingApprovals,
    stagedChanges,
  });
  effect.change({ organizationId, kind: 'project', id: projectId, projectId });
  return true;
}
