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
