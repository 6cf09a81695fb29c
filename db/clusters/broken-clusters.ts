import { sql } from 'kysely';
import { type BrokenSource, brokenColumns } from '../attention/broken.ts';

const told = { toldAt: sql`agent.last_heartbeat_at`, inContact: sql`agent.contact = 'connected'` };
const cluster = { clusterId: sql`cluster.id`, clusterName: sql`cluster.name` };
const from = sql`from cluster join cluster_agent agent on agent.cluster_id = cluster.id`;

/** Clusters that the control plane itself knows to be of no use now. */
const unusable: BrokenSource = {
  role: 'viewer',
  select: (organizationId) => sql`
    select ${brokenColumns(
      sql`case cluster.state when 'awaiting-agent' then 50 else 0 end`,
      sql`'cluster.' || cluster.state`,
      sql`cluster.id`,
      { ...cluster, detail: sql`cluster.message` },
    )}
    ${from}
    where cluster.organization_id = ${organizationId} and cluster.finished_at is null
      and cluster.state in ('failed', 'lost', 'awaiting-agent')`,
};

/** Troubles of the machine: no port for the ingress, a directory that cannot be written. Workloads tell their own. */
const troubled: BrokenSource = {
  role: 'viewer',
  select: (organizationId) => sql`
    select ${brokenColumns(sql`20`, sql`'cluster.degraded'`, sql`cluster.id`, {
      ...cluster,
      ...told,
      detail: sql`agent.error`,
    })}
    ${from}
    where cluster.organization_id = ${organizationId} and cluster.finished_at is null and agent.error is not null`,
};

const nodes: BrokenSource = {
  role: 'viewer',
  select: (organizationId) => sql`
    select ${brokenColumns(sql`20`, sql`'node.not-ready'`, sql`cluster.id || ' ' || (node->>'name')`, {
      ...cluster,
      ...told,
      name: sql`node->>'name'`,
    })}
    ${from}
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(agent.facts->'nodes') when 'array' then agent.facts->'nodes' else '[]' end) as node
    where cluster.organization_id = ${organizationId} and cluster.finished_at is null and node->>'ready' = 'false'`,
};

/** Disks that fill. */
const pressed: BrokenSource = {
  role: 'viewer',
  select: (organizationId) => sql`
    select ${brokenColumns(sql`15`, sql`'disk.pressure'`, sql`cluster.id || ' disk'`, {
      ...cluster,
      ...told,
      detail: sql`concat(pg_size_pretty((agent.disk->>'availableBytes')::numeric), ' of ',
        pg_size_pretty((agent.disk->>'capacityBytes')::numeric),
        ' are free. Unused images and old logs are deleted already: free some, or enlarge the disk.')`,
    })}
    ${from}
    where cluster.organization_id = ${organizationId} and cluster.finished_at is null
      and agent.disk->>'pressure' = 'true'`,
};

export const brokenClusters: readonly BrokenSource[] = [unusable, troubled, nodes, pressed];
