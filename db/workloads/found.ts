import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';

export const foundWorkloads: Finder = {
  kind: 'workload',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'workload', {
      id: sql`workload.cluster_id || ' ' || workload.key`,
      name: sql`workload.name`,
      detail: sql`cluster.name`,
      clusterId: sql`cluster.id`,
    })}
    from cluster_slice workload
    join cluster on cluster.id = workload.cluster_id and cluster.finished_at is null
    where workload.organization_id = ${organizationId} and workload.removed_at is null`,
};

export const foundInstances: Finder = {
  kind: 'instance',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'instance', {
      id: sql`one->>'id'`,
      name: sql`one->>'id'`,
      detail: sql`coalesce(workload.name, observed.key) || ' on ' || cluster.name`,
      clusterId: sql`cluster.id`,
      state: sql`one->>'state'`,
      toldAt: sql`agent.last_heartbeat_at`,
      inContact: sql`agent.contact = 'connected'`,
    })}
    from observed_slice observed
    join cluster on cluster.id = observed.cluster_id and cluster.finished_at is null
    join cluster_agent agent on agent.cluster_id = cluster.id
    left join cluster_slice workload on workload.cluster_id = observed.cluster_id and workload.key = observed.key
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(observed.instances) when 'array' then observed.instances else '[]' end) as one
    where observed.organization_id = ${organizationId}`,
};
