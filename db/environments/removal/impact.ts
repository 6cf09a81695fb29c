import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../postgres/tables.ts';
import type { EnvironmentRef } from '../environments.ts';

/** All that the deletion of an environment ends. */
export interface EnvironmentImpact {
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
