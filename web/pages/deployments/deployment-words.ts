import type {
  DeploymentBlocker,
  DeploymentEventKind,
  DeploymentKind,
  DeploymentStage,
} from '../../../domain/deployments/states.ts';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type DeploymentAnswer = Answers['deployments']['get'];

export { deploymentStateWords as states } from '../../../workflows/deployment/words.ts';

export const kindWords: Record<DeploymentKind, string> = {
  deploy: 'Deployment',
  'change-set': 'Staged changes',
  rollback: 'Rollback',
  promote: 'Promotion',
  redeploy: 'Redeployment',
  rerun: 'Rerun',
  resume: 'Resumption',
};

/** Headings: what an open deployment waits for, and what a final one ended by. */
export const blockers: Record<DeploymentBlocker, { waits: string; failed: string }> = {
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
};

export const stageWords: Record<DeploymentStage, string> = {
  approval: 'Approval',
  queue: 'Queue',
  prepare: 'Prepare',
  'release-command': 'Release command',
  start: 'Start',
  check: 'Check',
  switch: 'Switch',
  drain: 'Drain',
};

/** Every deployment walks these; the others are there only where they happened. */
export const usualStages = ['queue', 'prepare', 'start', 'check', 'switch', 'drain'] as const;

export const eventWords: Record<DeploymentEventKind, { word: string; tone: Tone }> = {
  requested: { word: 'Requested', tone: 'neutral' },
  'approval-requested': { word: 'Approval requested', tone: 'attention' },
  decided: { word: 'Decided', tone: 'neutral' },
  'stage-started': { word: 'Began', tone: 'neutral' },
  'stage-ended': { word: 'Done', tone: 'good' },
  blocked: { word: 'Waits', tone: 'attention' },
  unblocked: { word: 'Goes on', tone: 'neutral' },
  'instance-failed': { word: 'An instance failed', tone: 'fault' },
  'cancel-requested': { word: 'Asked to cancel', tone: 'attention' },
  returned: { word: 'Returned to the release before', tone: 'attention' },
  finished: { word: 'Ended', tone: 'neutral' },
};
