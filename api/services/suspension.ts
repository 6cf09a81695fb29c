import { z } from 'zod';
import { findDeployment } from '../../db/deployments/deployments.ts';
import type { SuspensionPlace } from '../../db/deployments/suspension.ts';
import { lockSuspension, resume, suspend } from '../../db/deployments/suspension.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { Problem } from '../../domain/problems.ts';
import { mayActAs } from '../../domain/roles.ts';
import { refuseAdmission, startProblems } from '../deployments/created-deployment.ts';
import { deploymentAnswer, deploymentSchema } from '../deployments/deployment.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { theService } from './service.ts';
import { environmentOf } from './service-place.ts';

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
async function suspensionPlace(
  { kysely }: Effect,
  caller: OrganizationCaller,
  serviceId: string,
  environmentId: string,
): Promise<SuspensionPlace> {
  const service = await caller.see(theService, serviceId, kysely);
  const environment = await environmentOf(caller, service, environmentId, kysely);
  const { organizationId, projectId } = service;
  if (environment.production && !mayActAs(caller.role, 'admin')) {
    throw new Problem(
      'role-too-low',
      `"${environment.name}" is production: only admins suspend and resume "${service.name}" there.`,
    );
  }
  const names = { service: service.name, environment: environment.name };
  return { organizationId, projectId, environmentId: environment.id, serviceId: service.id, ...names };
}

async function suspensionAnswer(
  effect: Effect,
  place: SuspensionPlace,
  deploymentId?: string,
): Promise<AnswerOf<typeof suspensionSchema>> {
  const { suspended, since, by } = await lockSuspension(effect, place);
  const { organizationId, serviceId, environmentId } = place;
  const deployment =
    deploymentId === undefined ? undefined : await findDeployment(effect.kysely, organizationId, deploymentId);
  return {
    ...{ serviceId, environmentId, suspended, suspendedAt: since, suspendedBy: by ?? '' },
    deployment: deployment && deploymentAnswer(deployment),
  };
}

export const resumeService = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/resume',
  summary: 'Resume a suspended service in an environment',
  description:
    'Deploys the live release again, the same bytes, without an approval: it was approved when it went live. The service is suspended until that deployment is live, so one that is cancelled leaves it suspended; one that fails on its cluster ends the suspension, too, so that a deployment can mend it. What was applied meanwhile, to it or to values that it refers to, is not part of it, and shows as drift. In production for admins. A service that runs is left alone; asked again, the deployment that is under way is answered.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: [...startProblems, 'role-too-low'],
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    queue: z
      .boolean()
      .default(false)
      .describe('Wait for a slot instead of 409 while the project runs its maximum of deployments.'),
  }),
  result: suspensionSchema,
  async handle({ caller, path, body: { environmentId, queue }, effect, server }) {
    const place = await suspensionPlace(effect, caller, path.id, environmentId);
    const asked = { queue, answerableId: caller.answerableId };
    const resumed = await resume(effect, server.keyring, place, asked);
    if ('refused' in resumed) throw refuseAdmission(resumed, 'The deployment');
    return await suspensionAnswer(effect, place, resumed.deploymentId);
  },
});

export const suspendService = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/suspend',
  summary: 'Suspend a service in an environment',
  description:
    'Its instances end and its schedules pause at once, without an approval; volumes, addresses, settings and the live release stay. Until it is resumed, deployments of it answer 409, and applied changes are stored without being started. While a deployment of it is under way or waits there it is refused, naming who requested that and when, unless `deployments` says what becomes of it; changes that wait for an approval are decided first; while one still rolls, the service stops with its end, and `deployment` is that one. In production for admins. A service that is suspended stays so.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'role-too-low'],
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    deployments: z
      .enum(['cancel', 'wait'])
      .optional()
      .describe(
        '`cancel`: all of it there are cancelled. `wait`: one that has begun may end; those that wait are cancelled.',
      ),
  }),
  result: suspensionSchema,
  async handle({ caller, path, body, effect }) {
    const place = await suspensionPlace(effect, caller, path.id, body.environmentId);
    await suspend(effect, place, body.deployments);
    return await suspensionAnswer(effect, place, (await lockSuspension(effect, place)).open[0]?.id);
  },
});
