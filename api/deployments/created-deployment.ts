import { z } from 'zod';
import { findApproval } from '../../db/approvals/approvals.ts';
import { findDeployment, findReleaseToDeploy, listDeployments } from '../../db/deployments/deployments.ts';
import { type ReleaseToDeploy, requestDeployment } from '../../db/deployments/request-deployment.ts';
import type { Rerun } from '../../db/deployments/rerun.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { findRelease } from '../../db/releases/releases.ts';
import type { Admission, Decision } from '../../domain/deployments/arbiter-types.ts';
import { deploymentStates, isDeploymentFinal } from '../../domain/deployments/states.ts';
import { Problem } from '../../domain/problems.ts';
import { approvalAnswer, approvalSchema } from '../approvals/approval.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { resource } from '../engine/resource.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { releaseAnswer, releaseSchema } from '../releases/operations.ts';
import { deploymentAnswer, deploymentSchema, downtimeAccepted } from './deployment.ts';

/** The answer of the arbiter, or its refusal as a problem. `what`: the subject of the sentence. */
export function refuseAdmission(decision: Decision, what: string): Admission {
  if (!('refused' in decision)) return decision;
  switch (decision.refused) {
    case 'at-limit':
      throw new Problem(
        'deployments-at-limit',
        `${what} cannot start: all ${decision.concurrency} deployment slots of the project are taken. Wait for one, or send queue: true.`,
      );
    case 'service-suspended':
      throw new Problem('service-suspended', `${what} cannot start: the service is suspended there. Resume it first.`);
    case 'already-final':
      throw new Problem('already-decided', `${what} has already ended.`);
    case 'not-claimed':
    case 'not-cancellable':
      throw new Problem(
        'already-decided',
        `${what} can no longer be cancelled, because the new release serves already: roll back to return to the one before.`,
      );
  }
}

export const theReleaseToDeploy = resource('release', findReleaseToDeploy, ({ projectId }) => projectId);

/** The problems with which a direct start can be refused. */
export const startProblems = [
  'not-found',
  'conflict',
  'release-retired',
  'image-unfit',
  'service-suspended',
  'downtime-not-accepted',
  'deployments-at-limit',
  'already-decided',
] as const;

/** The body of a direct start. */
export const startBody = z.strictObject({
  reason: z.string().trim().max(1_000).default('').describe('Shown to the person who approves it.'),
  queue: z
    .boolean()
    .default(false)
    .describe('Wait for a slot instead of 409 while the project runs its maximum of deployments.'),
  downtimeAccepted,
});

export const createdSchema = z
  .object({
    approval: approvalSchema.optional().describe('It is held until this is decided.'),
    deployment: deploymentSchema,
    release: releaseSchema,
    superseded: z
      .array(z.object({ deploymentId: z.guid(), releaseNumber: z.int(), state: z.enum(deploymentStates) }))
      .describe('Deployments that it made unnecessary.'),
  })
  .meta({ id: 'CreateResult' });

interface Starting {
  caller: OrganizationCaller;
  effect: Effect;
  server: Pick<ServerParts, 'keyring'>;
  release: ReleaseToDeploy;
  kind: 'rollback' | 'redeploy' | 'rerun';
  rerun?: Rerun;
  body: z.output<typeof startBody>;
}

/** Starts it, and answers all that came of that. */
export async function startDeployment(starting: Starting): Promise<AnswerOf<typeof createdSchema>> {
  const { caller, effect, server, release, kind, rerun, body } = starting;
  const again = rerun === undefined ? {} : { rerun };
  const asked = { ...body, kind, answerableId: caller.answerableId, ...again };
  return await startedAnswer(effect, release, await requestDeployment(effect, server.keyring, release, asked));
}

/** All that came of a direct start, or its refusal as a problem. */
export async function startedAnswer(
  effect: Effect,
  release: ReleaseToDeploy,
  requested: Awaited<ReturnType<typeof requestDeployment>>,
): Promise<AnswerOf<typeof createdSchema>> {
  const { organizationId } = release;
  if ('refused' in requested) throw refuseAdmission(requested, 'The deployment');
  const { deploymentId, approvalId, update } = requested;
  const deployment = await findDeployment(effect.kysely, organizationId, deploymentId);
  const full = await findRelease(effect.kysely, organizationId, release.id);
  if (deployment === undefined || full === undefined)
    throw new Error('The deployment that was just made is not there.');
  const approval = approvalId === undefined ? undefined : await findApproval(effect.kysely, organizationId, approvalId);
  const ended = new Set(
    update.flatMap(({ id, state }) => (state !== undefined && isDeploymentFinal(state) ? [id] : [])),
  );
  const { environmentId, serviceId } = release;
  const others =
    ended.size === 0
      ? []
      : await listDeployments(effect.kysely, organizationId, { environmentId, serviceId }, { limit: 200 });
  return {
    approval: approval && approvalAnswer(approval),
    deployment: deploymentAnswer(deployment),
    release: releaseAnswer(full),
    superseded: others.filter(({ id }) => ended.has(id)).map((one) => ({ ...one, deploymentId: one.id })),
  };
}
