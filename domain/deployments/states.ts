/** Each holds one of its project's slots, and its service's place in the environment. */
export const claimedDeploymentStates = [
  'preparing',
  'releasing',
  'starting',
  'checking',
  'switching',
  'draining',
] as const;
export type ClaimedDeploymentState = (typeof claimedDeploymentStates)[number];

/** Nothing changes a deployment any more. */
export const finalDeploymentStates = ['live', 'failed', 'superseded', 'cancelled', 'rejected', 'expired'] as const;
export type FinalDeploymentState = (typeof finalDeploymentStates)[number];

/**
 * The states of a deployment, in the order in which it walks them:
 *
 * pending: held for an approval, or queued; its blocker says which. preparing: claimed, so it has a slot of its project,
 * and its service's environment rolls nothing else. releasing: its release command runs. starting: new instances start
 * beside the old. checking: they have to stay healthy for a while. switching: routes change to them in one step.
 * draining: the new instances serve, the old ones finish what they had begun. The others are final.
 */
export const deploymentStates = ['pending', ...claimedDeploymentStates, ...finalDeploymentStates] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export function isDeploymentFinal(state: DeploymentState): state is FinalDeploymentState {
  return (finalDeploymentStates as readonly string[]).includes(state);
}

export function isDeploymentClaimed(state: DeploymentState): state is ClaimedDeploymentState {
  return (claimedDeploymentStates as readonly string[]).includes(state);
}

/** From `draining` on the new instances serve: it is too late to cancel, only a rollback returns to the old ones. */
export function isDeploymentCancellable(state: DeploymentState): boolean {
  return state === 'pending' || (isDeploymentClaimed(state) && state !== 'draining');
}

export const deploymentKinds = ['deploy', 'change-set', 'rollback', 'promote', 'redeploy', 'rerun', 'resume'] as const;
export type DeploymentKind = (typeof deploymentKinds)[number];

/** The stages that people see, in order; the release command only where there is one. */
export const deploymentStages = [
  'approval',
  'queue',
  'prepare',
  'release-command',
  'start',
  'check',
  'switch',
  'drain',
] as const;
export type DeploymentStage = (typeof deploymentStages)[number];

/** An open deployment waits for it, or a final one failed by it. */
export const deploymentBlockers = [
  'approval',
  'freeze',
  'slot',
  'earlier-deployment',
  'dependency',
  'build',
  'cluster-lost',
  'image',
  'capacity',
  'configuration',
  'health',
  'release-command',
  'temporal',
] as const;
export type DeploymentBlocker = (typeof deploymentBlockers)[number];

/** People see `worker`, too; it is in no row, since the part that is down cannot write there. */
export type ShownBlocker = DeploymentBlocker | 'worker';

/** A person or a date ends these waits, whichever part is down. */
export const endedOutside = ['approval', 'freeze'] as const satisfies readonly DeploymentBlocker[];

export const deploymentEventKinds = [
  'requested',
  'approval-requested',
  'decided',
  'stage-started',
  'stage-ended',
  'blocked',
  'unblocked',
  'instance-failed',
  'cancel-requested',
  'returned',
  'finished',
] as const;
export type DeploymentEventKind = (typeof deploymentEventKinds)[number];

/** The phases of a rollout as an agent tells them, in their order, `releasing` only with a release command; the last two are its ends. */
export const rolloutPhases = [
  'preparing',
  'releasing',
  'starting',
  'checking',
  'switching',
  'draining',
  'done',
  'returned',
] as const;
export type RolloutPhase = (typeof rolloutPhases)[number];

/** Times of the agent's clock, by the phase that began then. */
export type PhaseTimes = Partial<Record<RolloutPhase, string>>;

export type StageTime = {
  stage: DeploymentStage;
  startedAt: string;
  endedAt?: string;
  detail?: string;
};

const stageOf: Partial<Record<RolloutPhase, DeploymentStage>> = {
  preparing: 'prepare',
  releasing: 'release-command',
  starting: 'start',
  checking: 'check',
  switching: 'switch',
  draining: 'drain',
};

/**
 * The stages after an agent has told a phase. Stages that went by between two reports get the agent's times, kept between
 * the stage before and now, so that its clock can make no gap and no order of its own.
 */
export function stagesAfter(
  stages: readonly StageTime[],
  { phase, at, now }: { phase: RolloutPhase; at: PhaseTimes; now: string },
): StageTime[] {
  const passed = rolloutPhases
    .slice(0, rolloutPhases.indexOf(phase) + 1)
    .filter((one) => one !== 'releasing' || phase === one || at[one] !== undefined);
  const result = stages.map((stage) => ({ ...stage }));
  for (const each of phase === 'returned' ? passed.filter((one) => at[one] !== undefined) : passed) {
    const stage = stageOf[each];
    if (stage === undefined) continue;
    const last = result.at(-1);
    if (last !== undefined && orderOf(last.stage) >= orderOf(stage)) continue;
    const from = between(last?.startedAt ?? now, at[each], now);
    if (last !== undefined) last.endedAt = from;
    result.push({ stage, startedAt: from });
  }
  const end = phase === 'done' || phase === 'returned' ? phase : undefined;
  return end === undefined ? result : endedStages(result, at[end], now);
}

/** The stages of a deployment that is over. */
export function endedStages(stages: readonly StageTime[], at: string | undefined, now: string): StageTime[] {
  return stages.map((stage, index) =>
    index === stages.length - 1 && stage.endedAt === undefined
      ? { ...stage, endedAt: between(stage.startedAt, at, now) }
      : stage,
  );
}

/** The stages until a deployment is claimed: the approval, if there was one, then the queue. */
export function stagesAtClaim(times: { createdAt: string; decidedAt?: string | undefined; now: string }): StageTime[] {
  const { createdAt, decidedAt, now } = times;
  const queued = decidedAt === undefined ? createdAt : between(createdAt, decidedAt, now);
  return [
    ...(decidedAt === undefined ? [] : [{ stage: 'approval' as const, startedAt: createdAt, endedAt: queued }]),
    { stage: 'queue', startedAt: queued, endedAt: now },
    { stage: 'prepare', startedAt: now },
  ];
}

function orderOf(stage: DeploymentStage): number {
  return deploymentStages.indexOf(stage);
}

function between(first: string, given: string | undefined, last: string): string {
  if (given === undefined || Number.isNaN(Date.parse(given)) || Date.parse(given) > Date.parse(last)) return last;
  return Date.parse(given) < Date.parse(first) ? first : new Date(given).toISOString();
}

/** Headings: what an open deployment waits for, and what a final one ended by. */
export const blockerWords: Record<ShownBlocker, { waits: string; failed: string }> = {
  approval: { waits: 'Waits for an approval', failed: 'It was not approved' },
  freeze: { waits: 'Waits for the end of a freeze', failed: 'A freeze kept it' },
  slot: { waits: 'Waits for other deployments of the project', failed: 'No slot was free' },
  'earlier-deployment': { waits: 'Waits for an earlier deployment of the service', failed: 'An earlier one kept it' },
  dependency: { waits: 'Waits for a service that it depends on', failed: 'A service that it depends on failed' },
  build: { waits: 'Waits for a build', failed: 'The build failed' },
  'cluster-lost': { waits: 'Waits for its cluster', failed: 'The cluster was lost' },
  image: { waits: 'The image is not there yet', failed: 'The image could not be had' },
  capacity: { waits: 'Waits for room on the cluster', failed: 'The cluster has no room' },
  configuration: { waits: 'Waits for the configuration', failed: 'The configuration is refused' },
  health: { waits: 'Not healthy yet', failed: 'It did not become healthy' },
  'release-command': { waits: 'Waits for the release command', failed: 'The release command failed' },
  temporal: { waits: 'Stuck', failed: 'Stuck' },
  worker: { waits: 'Waits for the worker', failed: 'The worker was down' },
};
