import type { StageTime } from './states.ts';
import { type DeploymentKind, type DeploymentStage, type DeploymentState, deploymentStages } from './states.ts';

/** The states in which a deployment can be rerun: it ended without being live, and nothing newer took its place. */
export const rerunStates = ['failed', 'cancelled', 'expired'] as const satisfies readonly DeploymentState[];

export function isRerunnable(state: DeploymentState): boolean {
  return rerunStates.some((one) => one === state);
}

/**
 * The stages from which it can be rerun: those that it reached, and the one after its release command, which leaves that out.
 * Before its queue nothing is repeated but the approval.
 */
export function stagesToRerun(stages: readonly Pick<StageTime, 'stage'>[], held: boolean): DeploymentStage[] {
  const reached = new Set<DeploymentStage>(['queue', ...stages.map(({ stage }) => stage)]);
  if (held) reached.add('approval');
  if (reached.has('release-command')) reached.add('start');
  return deploymentStages.filter((stage) => reached.has(stage));
}

/** Where it ended: its last stage, or what it waited for. */
export function failedStage(stages: readonly Pick<StageTime, 'stage'>[], held: boolean): DeploymentStage {
  return stages.at(-1)?.stage ?? (held ? 'approval' : 'queue');
}

/** The approval is what lies before all other stages: a rerun from one of these asks for none if it still holds. */
export function keepsApproval(fromStage: DeploymentStage | undefined): boolean {
  return fromStage !== undefined && fromStage !== 'approval';
}

interface Sought {
  kind: DeploymentKind;
  state: DeploymentState;
  stages: readonly Pick<StageTime, 'stage'>[];
  held: boolean;
  /** Nobody has approved it. */
  unapproved: boolean;
  /** The kind of the first of its line. */
  as: DeploymentKind;
  number: number;
  service: string;
  environment: string;
  present: boolean;
  /** The environment's settings are those of its release, or it brings them back. */
  applied: boolean;
  later: { number: number; live: boolean } | null;
  fromStage: DeploymentStage | undefined;
}

/** Why it cannot be rerun, and what to do instead; nothing: it can. */
export function rerunFault(sought: Sought): string | undefined {
  const { state, unapproved, as, number, service, environment, present, applied, later, fromStage } = sought;
  const it = `The deployment of release #${number} of "${service}" to "${environment}"`;
  if (state === 'live') {
    return `${it} went live: redeploy the live release to replace its instances, or roll back to this one.`;
  }
  if (state === 'superseded') return `${it} was superseded by a newer one: rerun that one, or deploy again.`;
  if (state === 'rejected') return `${it} was rejected: request it anew, so that somebody decides on it again.`;
  if (!isRerunnable(state)) return `${it} has not ended: wait for it, or cancel it first.`;
  if (unapproved && as !== 'rollback' && as !== 'redeploy') {
    return `${it} was never approved: ${as === 'promote' ? 'promote it again' : 'its changes are staged again, apply them'}.`;
  }
  if (!present) return `"${service}" is not in "${environment}" any more: add it there first.`;
  if (later !== null) {
    return later.live
      ? `Release #${later.number} of "${service}" went live in "${environment}" since: a rerun would go back to #${number}, which a rollback to it does.`
      : `A later deployment, of release #${later.number}, is under way for "${service}" in "${environment}": wait for it, or cancel it first.`;
  }
  if (!applied) {
    return `The settings of "${service}" in "${environment}" are no longer those of release #${number}: deploy them as they are, or roll back to the release.`;
  }
  const stages = stagesToRerun(sought.stages, sought.held);
  if (fromStage !== undefined && !stages.includes(fromStage)) {
    return `${it} did not reach the stage ${fromStage}: rerun it from ${stages.join(', ')}, or anew without a stage.`;
  }
  return undefined;
}

/** The request of a rerun in a sentence. */
export function rerunSentence(
  { state, number }: { state: DeploymentState; number: number },
  fromStage: DeploymentStage | undefined,
  approvedBy: string | undefined,
): string {
  const how = fromStage === undefined ? 'anew' : `from the stage ${fromStage}`;
  const ended = state === 'failed' ? 'failed' : state === 'expired' ? 'expired' : 'was cancelled';
  const approved = approvedBy === undefined ? '' : ` The approval by ${approvedBy} still holds.`;
  return `Reruns the deployment of release #${number} that ${ended}, ${how}.${approved}`;
}
