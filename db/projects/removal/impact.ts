import { type Kysely, sql } from 'kysely';
import { environmentImpact } from '../../environments/removal/impact.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { ProjectRef } from '../projects.ts';

/** All that the deletion of a project ends. */
export interface ProjectImpact {
  environments: { id: string; name: string; slug: string; production: boolean }[];
  services: number;
  databases: number;
  inFlightDeployments: number;
  pendingApprovals: number;
  stagedChanges: number;
  volumes: { count: number; sizeBytes: number };
}

export async function projectImpact(
  kysely: Kysely<Tables>,
  { id, organizationId }: ProjectRef,
): Promise<ProjectImpact> {
  const own = tenant(kysely, organizationId);
  const environments = await own
    .selectFrom('environment')
    .select(['id', 'name', 'slug', 'production'])
    .where('project_id', '=', id)
    .where('deletion_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const { services, databases } = await own
    .selectFrom('service')
    .select(sql<number>`(count(*) filter (where template is null))::int`.as('services'))
    .select(sql<number>`(count(*) filter (where template is not null))::int`.as('databases'))
    .where('project_id', '=', id)
    .where('deletion_id', 'is', null)
    .executeTakeFirstOrThrow();
  const sum: ProjectImpact = {
    ...{ environments, services, databases, inFlightDeployments: 0, pendingApprovals: 0, stagedChanges: 0 },
    volumes: { count: 0, sizeBytes: 0 },
  };
  for (const environment of environments) {
    const one = await environmentImpact(kysely, { ...environment, organizationId, projectId: id });
    sum.inFlightDeployments += one.inFlightDeployments;
    sum.pendingApprovals += one.pendingApprovals;
    sum.stagedChanges += one.stagedChanges;
    sum.volumes.count += one.volumes.count;
    sum.volumes.sizeBytes += one.volumes.sizeBytes;
  }
  return sum;
}
