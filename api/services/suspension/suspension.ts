import { z } from 'zod';
import { findDeployment } from '../../../db/deployments/deployments.ts';
import { lockSuspension } from '../../../db/deployments/suspension/suspension.ts';
import type { SuspensionPlace } from '../../../db/deployments/suspension/suspension-place.ts';
import type { Effect } from '../../../db/engine/effect.ts';
import { Problem } from '../../../domain/problems.ts';
import { mayActAs } from '../../../domain/roles.ts';
import { deploymentAnswer, deploymentSchema } from '../../deployments/deployment.ts';
import type { OrganizationCaller } from '../../engine/caller.ts';
import { theEnvironment } from '../../environments/environment.ts';
import { theService } from '../service.ts';

export const suspensionSchema = z
  .object({
    serviceId: z.guid(),
    environmentId: z.guid(),
    suspended: z.boolean().describe('True until the deployment that resumes it is live; nothing of it is started.'),
    suspendedAt: z.iso.datetime().optional(),
    suspendedBy: z.string().describe('Who suspended it; empty while it is not.'),
    deployment: deploymentSchema
      .optional()
      .describe('The one that resumes it, or that still rolls and stops with its end.'),
  })
  .meta({ id: 'ServiceSuspension' });

/** The service in an environment of its project, for those who may stop and start it there. */
export async function suspensionPlace(
  { kysely }: Effect,
  caller: OrganizationCaller,
  serviceId: string,
  environmentId: string,
): Promise<SuspensionPlace> {
  const service = await caller.see(theService, serviceId, kysely);
  const environment = await caller.see(theEnvironment, environmentId, kysely);
  const { organizationId, projectId } = service;
  if (environment.projectId !== projectId) throw new Problem('not-found', 'The environment is of another project.');
  if (environment.production && !mayActAs(caller.role, 'admin')) {
    throw new Problem(
      'role-too-low',
      `"${environment.name}" is production: only admins suspend and resume "${service.name}" there.`,
    );
  }
  const names = { service: service.name, environment: environment.name };
  return { organizationId, projectId, environmentId: environment.id, serviceId: service.id, ...names };
}

export async function suspensionAnswer(
  effect: Effect,
  place: SuspensionPlace,
  deploymentId?: string,
): Promise<z.output<typeof suspensionSchema>> {
  const { suspended, since, by } = await lockSuspension(effect, place);
  const { organizationId, serviceId, environmentId } = place;
  const deployment =
    deploymentId === undefined ? undefined : await findDeployment(effect.kysely, organizationId, deploymentId);
  return {
    ...{ serviceId, environmentId, suspended, suspendedBy: by ?? '' },
    ...(since === null ? {} : { suspendedAt: since.toISOString() }),
    ...(deployment === undefined ? {} : { deployment: deploymentAnswer(deployment) }),
  };
}
