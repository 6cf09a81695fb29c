import { sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';
import type { EnvironmentRef } from './environments.ts';

/** Services that run in the environment, are about to, or are still reported by its cluster's agent, by name. */
export async function inhabitantsOf(
  { kysely }: Pick<Effect, 'kysely'>,
  { id, organizationId, projectId }: EnvironmentRef,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with key as (
      select service.id, service.name, concat('env/', ${id}::uuid, '/', service.id) as text
      from service where service.organization_id = ${organizationId} and service.project_id = ${projectId}
    )
    select key.name from key
    where exists (select from environment cluster_of join cluster_slice slice on slice.cluster_id = cluster_of.cluster_id
                  where cluster_of.id = ${id} and slice.key = key.text)
       or exists (select from environment cluster_of join observed_slice seen on seen.cluster_id = cluster_of.cluster_id
                  where cluster_of.id = ${id} and seen.key = key.text)
       or exists (select from deployment where deployment.organization_id = ${organizationId}
                  and deployment.environment_id = ${id} and deployment.service_id = key.id
                  and deployment.finished_at is null)
    order by key.name limit 20
  `.execute(kysely);
  return rows.map(({ name }) => name);
}
