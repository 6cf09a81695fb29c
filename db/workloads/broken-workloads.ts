import { type Kysely, sql } from 'kysely';
import { type BrokenSource, brokenColumns } from '../attention/broken.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';

/**
 * The names of what cannot be delivered to these clusters, because its secrets do not open any more: they were sealed
 * with another key than the organization's, or that one does not open itself. Each ciphertext names its key, so nothing
 * is opened here; one that was changed in the database is told by the agent that it is delivered to.
 */
export async function brokenSlices(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'secretHeader'>,
  organizationId: string,
  clusterIds: readonly string[],
): Promise<Map<string, string[]>> {
  const broken = new Map<string, string[]>();
  if (clusterIds.length === 0) return broken;
  const header = await keyring.secretHeader(organizationId).catch(() => undefined);
  let query = kysely
    .selectFrom('cluster_slice')
    .select(['cluster_id as id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('cluster_id', 'in', clusterIds)
    .where('removed_at', 'is', null)
    .where('sealed_secrets', 'is not', null)
    .orderBy('key');
  if (header !== undefined)
    query = query.where(sql<Buffer>`substring(sealed_secrets from 1 for ${header.length}::int)`, '<>', header);
  for (const { id, name } of await query.execute()) broken.set(id, [...(broken.get(id) ?? []), name]);
  return broken;
}

const instances = sql`
  jsonb_array_elements(case jsonb_typeof(observed.instances) when 'array' then observed.instances else '[]' end)`;
const inTrouble = sql`one->>'state' in ('waiting', 'failing')`;
// An error from before the last change says nothing about that change.
const failed = sql`observed.error is not null
  and coalesce(observed.revision >= slice.revision, observed.observed_at > slice.updated_at)`;

/** Workloads that cannot be applied or whose instances fail, each with the instance whose log tells most. */
export const brokenWorkloads: readonly BrokenSource[] = [
  {
    role: 'viewer',
    select: (organizationId) => sql`
      select ${brokenColumns(
        sql`case when ${failed} then 10 else 20 end`,
        sql`case when ${failed} then 'workload.failed' else 'workload.degraded' end`,
        sql`cluster.id || ' ' || observed.key`,
        {
          clusterId: sql`cluster.id`,
          clusterName: sql`cluster.name`,
          name: sql`slice.name`,
          instance: sql`worst.id`,
          detail: sql`coalesce(case when ${failed} then observed.error end, worst.message)`,
          toldAt: sql`agent.last_heartbeat_at`,
          inContact: sql`agent.contact = 'connected'`,
        },
      )}
      from observed_slice observed
      join cluster on cluster.id = observed.cluster_id and cluster.finished_at is null
      join cluster_agent agent on agent.cluster_id = cluster.id
      join cluster_slice slice on slice.cluster_id = observed.cluster_id and slice.key = observed.key
        and slice.removed_at is null
      left join lateral (
        select one->>'id' as id, one->>'message' as message, ${inTrouble} as trouble from ${instances} as one
        order by ${inTrouble} desc, (one->>'run')::int desc limit 1
      ) as worst on true
      where observed.organization_id = ${organizationId} and (${failed} or worst.trouble)`,
  },
];
