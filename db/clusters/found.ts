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
    })}
    from cluster where cluster.organization_id = ${organizationId} and cluster.finished_at is null`,
};
