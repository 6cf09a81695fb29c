import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { admit } from '../../db/deployments/admission.ts';
import { listDeploymentEvents } from '../../db/deployments/deployment-events.ts';
import { listDeployments as list, liveRelease } from '../../db/deployments/deployments.ts';
import { planRerun } from '../../db/deployments/rerun/plan-rerun.ts';
import {
  deploymentEventKinds,
  deploymentStages,
  deploymentStates,
  isDeploymentFinal,
} from '../../domain/deployments/states.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, eventPosition, oneMore, oneMoreEvent, pageOf, pageOfEvents } from '../engine/positions.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { environmentOf } from '../services/service-place.ts';
import {
  createdSchema,
  refuseAdmission,
  startBody,
  startDeployment,
  startProblems,
  theReleaseToDeploy,
} from './created-deployment.ts';
import { deploymentAnswer, deploymentSchema, progressOf, theDeployment } from './deployment.ts';
import type { ProgressReaders } from './progress-readers.ts';
import { previewPromotion, promote } from './promotion.ts';
import { getStatistics, perDay } from './statistics.ts';

const cancelDeployment = operation({
  method: 'POST',
  url: '/api/v1/deployments/{id}/cancel',
  summary: 'Cancel a deployment',
  description:
    'One that waits ends at once. One that rolls is asked to end, and its cluster returns to the live release. Once the new release serves, only a rollback returns to the release before.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['already-decided'],
  of: theDeployment,
  result: deploymentSchema,
  async handle({ found: { id, projectId, serviceName, environmentName }, caller, effect }) {
    const organizationId = caller.organization.id;
    refuseAdmission(
      await admit(effect, { organizationId, projectId }, { event: 'cancel', id, because: 'person' }),
      `The deployment of "${serviceName}" to "${environmentName}"`,
    );
    effect.audit('deployment.cancelled', { organizationId, id, name: serviceName }, { environment: environmentName });
    return deploymentAnswer(await caller.see(theDeployment, id, effect.kysely));
  },
});

const getDeployment = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}',
  summary: 'Get a deployment',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theDeployment,
  result: deploymentSchema,
  handle: async ({ found }) => deploymentAnswer(found),
});

const id = z.guid().toLowerCase().optional();

const deploymentFilters = {
  state: z.enum(deploymentStates).optional(),
  open: z.boolean().optional().describe('`true`: only those under way; `false`: only those that ended.'),
};

const listDeployments = operation({
  method: 'GET',
  url: '/api/v1/deployments',
  summary: 'List deployments of the organization, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({
    ...{ projectId: id, environmentId: id, serviceId: id, changeSetId: id, releaseId: id },
    ...deploymentFilters,
  }),
  paged: { after: createdPosition },
  result: deploymentSchema,
  async handle({ caller, query, database, page }) {
    const filter = { ...query, projectIds: caller.projectIds };
    const found = await list(database.kysely, caller.organization.id, filter, oneMore(page));
    return pageOf(found, page, deploymentAnswer);
  },
});

const listEnvironmentDeployments = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/deployments',
  summary: 'List deployments of an environment, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  query: z.strictObject({ serviceId: z.guid().toLowerCase().optional(), ...deploymentFilters }),
  paged: { after: createdPosition },
  result: deploymentSchema,
  async handle({ found: environment, caller, query, database, page }) {
    const filter = { ...query, environmentId: environment.id };
    const found = await list(database.kysely, caller.organization.id, filter, oneMore(page));
    return pageOf(found, page, deploymentAnswer);
  },
});

const eventSchema = z
  .object({
    id: z.guid(),
    kind: z.enum(deploymentEventKinds),
    stage: z.string(),
    blocker: z.string(),
    message: z.string(),
    decision: z.string(),
    decidedBy: z.string(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'DeploymentEvent' });

const listEvents = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}/events',
  summary: 'List the events of a deployment, oldest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theDeployment,
  paged: { after: eventPosition },
  result: eventSchema,
  async handle({ found: { id }, caller, database, page }) {
    const ref = { deploymentId: id, organizationId: caller.organization.id };
    const events = await listDeploymentEvents(database.kysely, ref, oneMoreEvent(page));
    return pageOfEvents(events, page);
  },
});

const listServiceDeployments = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/deployments',
  summary: 'List deployments of a service, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  query: z.strictObject({ environmentId: z.guid().toLowerCase().optional(), ...deploymentFilters }),
  paged: { after: createdPosition },
  result: deploymentSchema,
  async handle({ found: service, caller, query, database, page }) {
    const filter = { ...query, serviceId: service.id };
    const found = await list(database.kysely, caller.organization.id, filter, oneMore(page));
    return pageOf(found, page, deploymentAnswer);
  },
});

const redeploy = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/redeploy',
  summary: 'Deploy the live release again',
  description: 'The same bytes in new instances. In production it is held until it is approved.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: startProblems,
  of: theService,
  body: startBody.extend({ environmentId: z.guid().toLowerCase() }),
  status: 201,
  result: createdSchema,
  async handle({ found: service, caller, body: { environmentId, ...body }, effect, server }) {
    const environment = await environmentOf(caller, service, environmentId, effect.kysely);
    const place = { organizationId: caller.organization.id, environmentId: environment.id, serviceId: service.id };
    const release = await liveRelease(effect.kysely, place);
    if (release === undefined) {
      throw new Problem('conflict', `Nothing of "${service.name}" is live in "${environment.name}": deploy it first.`);
    }
    return await startDeployment({ caller, effect, server, release, kind: 'redeploy', body });
  },
});

const rerunBody = startBody.extend({
  fromStage: z
    .enum(deploymentStages)
    .optional()
    .describe(
      'A stage that the deployment reached. Behind `approval`, an approval that was given for the same release counts again if nothing that it relied on has changed since. Absent: anew, with an approval where one is needed.',
    ),
});

const rerun = operation({
  method: 'POST',
  url: '/api/v1/deployments/{id}/rerun',
  summary: 'Rerun a deployment that did not go live',
  description:
    'A new deployment of the same release, of one that failed, was cancelled, or expired. 409 where something newer is live, under way or applied there.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: startProblems,
  of: theDeployment,
  body: rerunBody.optional(),
  status: 201,
  result: createdSchema,
  async handle({ found: deployment, caller, path, body, effect, server }) {
    const { fromStage, ...more } = body ?? rerunBody.parse({});
    const release = await caller.see(theReleaseToDeploy, deployment.releaseId, effect.kysely);
    const planned = await planRerun(effect, path.id, release, fromStage);
    return await startDeployment({ caller, effect, server, release, kind: 'rerun', rerun: planned, body: more });
  },
});

const rollBack = operation({
  method: 'POST',
  url: '/api/v1/releases/{id}/rollback',
  summary: 'Roll back to a release',
  description:
    'Deploys the release as it was frozen, and makes its settings and variables those of its environment; staged changes stay, and so does the number of replicas. It goes first in the queue, and asks a deployment that rolls there to cancel. In production it is held until it is approved.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: startProblems,
  of: theReleaseToDeploy,
  body: startBody.optional(),
  status: 201,
  result: createdSchema,
  async handle({ found: release, caller, body, effect, server }) {
    return await startDeployment({
      caller,
      effect,
      server,
      release,
      kind: 'rollback',
      body: body ?? startBody.parse({}),
    });
  },
});

const progressSchema = deploymentSchema.pick({ id: true, state: true, blocker: true, message: true, stages: true });

const streamDeployment = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}/stream',
  summary: 'Stream the state of a deployment',
  description:
    'An event for the state of now, and for each change. Nothing follows a final state. A deployment that cannot be read closes the stream without a word.',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  stream: { kind: 'other', events: { state: progressSchema.meta({ id: 'DeploymentProgress' }) } },
  async *handle({ caller, path, server, signal }) {
    let told: unknown;
    const { progress }: { progress: ProgressReaders } = server;
    for await (const deployment of progress.follow(caller.organization.id, path.id, signal)) {
      if (deployment === undefined || !caller.seesProject(deployment.projectId)) return;
      const data = { id: deployment.id, state: deployment.state, ...progressOf(deployment) };
      if (!isDeepStrictEqual(data, told)) yield { event: 'state', data };
      if (isDeploymentFinal(deployment.state)) return;
      told = data;
    }
  },
});

export const deployments = {
  list: listDeployments,
  ofEnvironment: listEnvironmentDeployments,
  ofService: listServiceDeployments,
  perDay,
  stats: getStatistics,
  get: getDeployment,
  cancel: cancelDeployment,
  events: listEvents,
  stream: streamDeployment,
  rollBack,
  redeploy,
  promote,
  previewPromotion,
  rerun,
};
