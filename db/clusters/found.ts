import { sql } from 'kysely';
import { type Finder, foundColumns } from '../search/finder.ts';

export const foundClusters: Finder = {
  kind: 'cluster',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'cluster', {
      id: sql`cluster.id`,
      name: sql`cluster.name`,
      detail: sql`cluster.region`,
      clusterId: sql`cluster.id`,
      state: sql`cluster.state`,
      toldAt: sql`agent.last_heartbeat_at`,
      inContact: sql`agent.contact = 'connected'`,
    })}
    from cluster join cluster_agent agent on agent.cluster_id = cluster.id
    where cluster.organization_id = ${organizationId} and cluster.finished_at is null`,
};
