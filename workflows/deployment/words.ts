import type { DeploymentState } from '../../domain/deployments/states.ts';
import type { Tone } from '../../domain/history-steps/step.ts';
import { type Facts, factsOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords, Said } from '../../domain/history-steps/words.ts';

/**
 * Without news of the agent for so long, the row says what is waited for: soon at first, since somebody watches, and then
 * every minute. Any other timer is that of the approval.
 */
export const quietMillis = [15_000, 30_000, 60_000] as const;

/** The words for the state of a deployment. */
export const deploymentStateWords = {
  pending: { word: 'Waiting', tone: 'attention' },
  preparing: { word: 'Preparing', tone: 'live' },
  releasing: { word: 'Running the release command', tone: 'live' },
  starting: { word: 'Starting', tone: 'live' },
  checking: { word: 'Checking', tone: 'live' },
  switching: { word: 'Switching', tone: 'live' },
  draining: { word: 'Draining', tone: 'live' },
  live: { word: 'Live', tone: 'good' },
  failed: { word: 'Failed', tone: 'fault' },
  superseded: { word: 'Superseded', tone: 'neutral' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
  rejected: { word: 'Rejected', tone: 'attention' },
  expired: { word: 'Expired', tone: 'attention' },
} as const satisfies Record<DeploymentState, { word: string; tone: Tone }>;

/** The rollout of a release. */
export const deploymentWords: ActorWords = {
  many: 'Deployments',
  title: (name) => `Deployment: ${name}`,
  // Others may have gone live after it: of the workflow it is not known whether its release serves.
  states: { ...deploymentStateWords, live: { word: 'Went live', tone: 'good' } },

  about: () => 'Rolls out a release.',

  activities: {
    claimDeployment: {
      kind: 'did',
      todo: () => 'start when it is its turn',
      done(_, result) {
        const { state, waitsFor, message } = factsOf(result);
        if (state !== 'pending')
          return { title: claimed(textOf(state)), detail: textOf(message), state: textOf(state) };
        const waits: Record<string, string> = {
          approval: 'Waited for its approval',
          slot: 'Waited for a free slot of the project',
          'earlier-deployment': 'Waited for the deployment before it',
        };
        return { title: waits[textOf(waitsFor)] ?? 'Waited for its turn', detail: textOf(message) };
      },
    },
    showDeployment: {
      kind: 'did',
      onlyRecords: true,
      todo: (input) => `record that ${phase(textOf(input.state))}`,
      done(_, result) {
        const state = textOf(factsOf(result).state);
        return { title: `Recorded that ${phase(state)}`, state };
      },
    },
    lookAtRollout: {
      kind: 'asked',
      onlyRecords: true,
      todo: () => 'look at the last report of the agent',
      done: (_, result) => ({
        title: 'Looked at the last report of the agent',
        detail: textOf(factsOf(result).message),
        state: textOf(factsOf(result).state),
      }),
    },
    expireDeployment: {
      kind: 'did',
      todo: () => 'close the approval, whose time has passed',
      done: (_, result) => ({
        title: factsOf(result).state === 'expired' ? 'Closed the approval: its time has passed' : 'Found it decided',
        state: textOf(factsOf(result).state),
      }),
    },
    finishDeployment: {
      kind: 'did',
      onlyRecords: true,
      todo: (input) => `record that ${phase(textOf(input.state))}`,
      done(input, result) {
        const state = textOf(factsOf(result).state);
        const detail = textOf(input.message) || textOf(factsOf(result).message);
        return {
          title: `Recorded that ${phase(state)}`,
          detail,
          state,
          ...(state === 'failed' ? { outcome: 'failed' } : {}),
        };
      },
    },
  },

  signals: {
    turn: () => ({ kind: 'heard', title: 'Its turn came' }),
    decided: () => ({ kind: 'heard', title: 'Its approval was decided' }),
    cancel: () => ({ kind: 'decided', title: 'It was asked to cancel' }),
    rollout: (body) => ({ kind: 'heard', ...reported(body) }),
  },

  timer: ({ milliseconds }) => {
    const expiry = !quietMillis.some((quiet) => quiet === milliseconds);
    const what = expiry ? 'for its approval' : 'for the agent';
    return {
      what,
      fired: (within) => ({
        title: expiry ? `Nobody decided within ${within}` : `Heard nothing of the agent for ${within}`,
        outcome: expiry ? 'timed-out' : 'done',
      }),
      stopped: (after) => ({ title: `Waited ${what} for ${after}` }),
    };
  },

  ended(result) {
    const state = textOf(result);
    return {
      title: `Ended: ${phase(state)}`,
      outcome: state === 'live' ? 'done' : state === 'failed' || state === 'expired' ? 'failed' : 'cancelled',
    };
  },

  idle: (state) => (state === 'pending' ? 'Waits for its turn.' : 'Waits for the agent.'),
};

function claimed(state: string): string {
  return state === 'preparing' ? 'Started: the cluster was told to run the release' : `Did not start: ${phase(state)}`;
}

function phase(state: string): string {
  const phases: Record<string, string> = {
    pending: 'it waits',
    preparing: 'the cluster prepares the release',
    releasing: 'the release command runs',
    starting: 'new instances start',
    checking: 'new instances are checked',
    switching: 'requests switch to the new instances',
    draining: 'the instances before finish their work',
    live: 'the release is live',
    failed: 'the deployment failed',
    superseded: 'a newer deployment took its place',
    cancelled: 'the deployment was cancelled',
    rejected: 'the deployment was rejected',
    expired: 'nobody approved the deployment in time',
  };
  return phases[state] ?? `its state is ${state || 'not known'}`;
}

function reported({ phase: told, message, failure }: Facts): Said {
  const titles: Record<string, { title: string; state: string }> = {
    preparing: { title: 'The agent prepares the image', state: 'preparing' },
    releasing: { title: 'The agent runs the release command', state: 'releasing' },
    starting: { title: 'The agent starts new instances', state: 'starting' },
    checking: { title: 'All new instances run and are checked', state: 'checking' },
    switching: { title: 'All new instances are healthy', state: 'switching' },
    draining: { title: 'Requests go to the new instances', state: 'draining' },
    done: { title: 'Only the new release runs', state: 'live' },
    returned: { title: 'The agent returned to the release before', state: 'failed' },
  };
  const { title, state } = titles[textOf(told)] ?? { title: 'The agent reported', state: '' };
  const failed = textOf(factsOf(failure).instance);
  const detail = [failed === '' ? '' : `${failed} failed.`, textOf(message)].filter((part) => part !== '').join(' ');
  return { title, detail, state, ...(told === 'returned' ? { outcome: 'failed' as const } : {}) };
}
