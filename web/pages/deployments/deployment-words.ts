import type { LinkProps } from '@tanstack/react-router';
import {
  type DeploymentEventKind,
  type DeploymentKind,
  isDeploymentFinal,
} from '../../../domain/deployments/states.ts';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type DeploymentAnswer = Answers['deployments']['get'];

export { blockerWords as blockers } from '../../../domain/deployments/states.ts';
export { stageTitles as stageWords } from '../../../domain/why/why.ts';
export { deploymentStateWords as states } from '../../../workflows/deployment/words.ts';

/** A part of Ballast is down, so that its state says less than what it waits for. */
export function isHalted<Of extends Pick<DeploymentAnswer, 'state'> & { blocker: string }>(
  deployment: Of,
): deployment is Of & { blocker: 'worker' | 'temporal' } {
  const { state, blocker } = deployment;
  return (blocker === 'worker' || blocker === 'temporal') && !isDeploymentFinal(state);
}

export const kindWords: Record<DeploymentKind, string> = {
  deploy: 'Deployment',
  'change-set': 'Staged changes',
  rollback: 'Rollback',
  promote: 'Promotion',
  redeploy: 'Redeployment',
  rerun: 'Rerun',
  resume: 'Resumption',
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

/** The page of a deployment, from wherever only its id is known. */
export function deploymentLink({ id }: { id: string }, organization: string): LinkProps {
  return { to: '/$organization/deployments/$deployment', params: { organization, deployment: id } };
}
