import { type Kysely, sql } from 'kysely';
import { deleteThing } from '../deletions/things/hide.ts';
import { lockAdmission } from '../deployments/admission.ts';
import type { Effect } from '../engine/effect.ts';
import { closeDraft, environmentImpact, stopServices } from '../environments/removal.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { counted } from '../services/removal/impact.ts';
import { lockProject, type ProjectRef, type ProjectView, recordProject } from './projects.ts';

/** All that the deletion of a project ends. */
interface ProjectImpact {
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

/**
 * Deletes a project with all of its environments and services, as each would be by itself; those that were deleted before
 * stay deleted on their own account. False: somebody else has deleted it.
 */
export async function deleteProject(
  effect: Effect,
  project: ProjectView,
  { wait }: { wait: boolean },
): Promise<boolean> {
  const { id, organizationId, name, slug } = project;
  await lockAdmission(effect, { organizationId, projectId: id });
  if ((await lockProject(effect, project)) === undefined) return false;
  const impact = await projectImpact(effect.kysely, project);
  const places = impact.environments.map((one) => ({ organizationId, projectId: id, environmentId: one.id }));
  let stagedChanges = 0;
  for (const place of places) stagedChanges += await closeDraft(effect, place);
  const services = impact.services + impact.databases;
  const parts = [counted(places.length, 'environment'), counted(services, 'service')];
  const { deletionId, restoreUntil } = await deleteThing(effect, {
    ...{ organizationId, projectId: id, kind: 'project', subjectId: id, name, slug, context: '' },
    detail: parts.join(', '),
  });
  for (const place of places) await stopServices(effect, place, { wait });
  recordProject(effect, 'project.deleted', project, {
    deletionId,
    restoreUntil: restoreUntil.toISOString(),
    environments: impact.environments.map((one) => one.name),
    services,
    deployments: impact.inFlightDeployments,
    approvals: impact.pendingApprovals,
    stagedChanges,
  });
  return true;
}
