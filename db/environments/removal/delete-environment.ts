import { deleteThing } from '../../deletions/things/hide.ts';
import { lockAdmission } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { counted } from '../../services/removal/describe.ts';
import { type EnvironmentView, lockEnvironment, recordEnvironment } from '../environments.ts';
import { closeDraft, stopServices } from './end-environment.ts';
import { environmentImpact } from './impact.ts';

/**
 * Deletes an environment: its services stop, nothing is staged or held there any more, and its slug is free. Settings,
 * variables, releases and volumes stay until its retention has passed. False: somebody else has deleted it.
 */
export async function deleteEnvironment(
  effect: Effect,
  environment: EnvironmentView,
  { wait }: { wait: boolean },
): Promise<boolean> {
  const { id, organizationId, projectId, name, slug } = environment;
  await lockAdmission(effect, environment);
  if ((await lockEnvironment(effect, environment)) === undefined) return false;
  const impact = await environmentImpact(effect.kysely, environment);
  const place = { organizationId, projectId, environmentId: id };
  const stagedChanges = await closeDraft(effect, place);
  const project = await tenant(effect.kysely, organizationId)
    .selectFrom('project')
    .select('name')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const services = impact.services.length + impact.databases.length;
  const parts = [
    counted(services, 'service'),
    ...(impact.volumes.count === 0 ? [] : [counted(impact.volumes.count, 'volume')]),
  ];
  const { deletionId, restoreUntil } = await deleteThing(effect, {
    ...{ organizationId, projectId, kind: 'environment', subjectId: id, name, slug },
    ...{ context: project.name, detail: services === 0 ? '' : parts.join(', ') },
  });
  await stopServices(effect, place, { wait });
  recordEnvironment(effect, 'environment.deleted', environment, {
    deletionId,
    restoreUntil: restoreUntil.toISOString(),
    services,
    deployments: impact.inFlightDeployments,
    approvals: impact.pendingApprovals,
    stagedChanges,
  });
  effect.change({ organizationId, kind: 'project', id: projectId, projectId });
  return true;
}
