import type { ClaimedDeploymentState, DeploymentStage, FinalDeploymentState } from '../deployments/states.ts';

/** The words for what happens while nothing is waited for. */
export const beganWords: Record<'pending' | ClaimedDeploymentState, string> = {
  pending: 'It is its turn, and starts within seconds',
  preparing: 'Its cluster is being told',
  releasing: 'Its release command runs',
  starting: 'New instances start beside the old ones',
  checking: 'Its instances have to stay healthy for a while',
  switching: 'Requests are being led to its instances',
  draining: 'It serves, and the old instances finish what they had begun',
};

export const endWords: Record<FinalDeploymentState, string> = {
  live: 'It went live',
  failed: 'It failed',
  superseded: 'A newer deployment took its place before it began',
  cancelled: 'It was cancelled',
  rejected: 'It was rejected',
  expired: 'Nobody decided on its approval in time',
};

export const stageTitles: Record<DeploymentStage, string> = {
  approval: 'Approval',
  queue: 'Queue',
  prepare: 'Prepare',
  'release-command': 'Release command',
  start: 'Start',
  check: 'Check',
  switch: 'Switch',
  drain: 'Drain',
};
