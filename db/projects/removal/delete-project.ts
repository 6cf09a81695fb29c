import { deleteThing } from '../../deletions/things/hide.ts';
import { lockAdmission } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import { closeDraft, stopServices } from '../../environments/removal/end-environment.ts';
import { counted } from '../../services/removal/describe.ts';
import { lockProject, type ProjectView, recordProject } from '../projects.ts';
import { projectImpact } from './impact.ts';

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
