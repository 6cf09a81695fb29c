import { moment, release } from '../../domain/history-steps/in-words.ts';
import { factsOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';

const states: Readonly<Record<string, string>> = {
  'awaiting-agent': 'is waiting for an agent',
  ready: 'is ready',
  degraded: 'is degraded',
  updating: 'is being updated',
  lost: 'lost contact',
  deleting: 'is being deleted',
  deleted: 'is deleted',
  failed: 'failed',
};
const said = (state: string): string => states[state] ?? `is ${state || 'in an unknown state'}`;

const events: Readonly<Record<string, string>> = {
  'agent.enrolled': 'An agent enrolled.',
  'agent.connected': 'The agent connected.',
  'agent.lost': 'No heartbeat came from the agent.',
  'agent.reconnected': 'The agent reconnected.',
  'agent.revoked': "The agent's credential was revoked.",
  'cluster.degraded': 'A workload or the agent was failing.',
  'cluster.recovered': 'Everything was healthy again.',
};

/** A cluster, for as long as it exists. */
export const clusterWords: ActorWords = {
  many: 'Clusters',
  title: (name) => `Cluster ${name}`,
  states: {
    'awaiting-agent': { word: 'Waiting for its agent', tone: 'attention' },
    ready: { word: 'Ready', tone: 'good' },
    degraded: { word: 'Degraded', tone: 'attention' },
    updating: { word: 'Updating its agent', tone: 'live' },
    lost: { word: 'Lost contact', tone: 'fault' },
    deleting: { word: 'Deleting', tone: 'live' },
    deleted: { word: 'Deleted', tone: 'neutral' },
    failed: { word: 'Failed', tone: 'fault' },
  },

  about: () => 'Follows the cluster until its deletion.',

  activities: {
    showCluster: {
      kind: 'did',
      onlyRecords: true,
      todo: ({ state }) => `record that the cluster ${said(textOf(state))}`,
      done: ({ state, message, event }) => ({
        title: `Recorded that the cluster ${said(textOf(state))}`,
        detail: textOf(message) || (events[textOf(factsOf(event).kind)] ?? ''),
        state: textOf(state),
      }),
    },
    deleteCluster: {
      kind: 'did',
      todo: () => 'delete the cluster and everything in it',
      done: (_, result) =>
        result === 'failed'
          ? { title: 'Found that the cluster had already failed', outcome: 'failed' }
          : {
              title: 'Deleted the cluster and everything in it',
              detail: 'Its commands have ended, and its agent is told to leave.',
              state: 'deleted',
            },
    },
  },

  signals: {
    enrolled: ({ hostname, version }) => ({
      kind: 'heard',
      title: 'An agent enrolled',
      state: 'awaiting-agent',
      detail: [
        textOf(hostname) && `On the machine ${textOf(hostname)}.`,
        textOf(version) && `Version ${textOf(version)}.`,
      ]
        .filter(Boolean)
        .join(' '),
    }),
    connected: ({ version, image }) => ({
      kind: 'heard',
      title: 'The agent connected',
      state: 'ready',
      detail: runs(textOf(version), textOf(image)),
    }),
    lost: ({ lastHeardOf }) => ({
      kind: 'heard',
      title: 'Lost contact with the agent',
      state: 'lost',
      outcome: 'failed',
      detail: textOf(lastHeardOf) && `Last heartbeat: ${moment(textOf(lastHeardOf))}.`,
    }),
    back: ({ version, image }) => ({
      kind: 'heard',
      title: 'The agent reconnected',
      state: 'ready',
      detail: runs(textOf(version), textOf(image)),
    }),
    revoked: () => ({ kind: 'decided', title: "A user revoked the agent's credential" }),
    trouble: ({ text }) =>
      textOf(text) === ''
        ? { kind: 'heard', title: 'The agent reported that everything is healthy again', state: 'ready' }
        : {
            ...{ kind: 'heard', title: 'The agent reported a problem', detail: textOf(text) },
            ...{ state: 'degraded', outcome: 'failed' },
          },
    updating: ({ updateId }) => ({
      kind: 'heard',
      title: textOf(updateId) === '' ? 'An agent update finished' : 'An agent update started',
      state: textOf(updateId) === '' ? 'ready' : 'updating',
    }),
    deleting: () => ({ kind: 'decided', title: 'The deletion of the cluster was requested' }),
  },

  ended: (result) =>
    result === 'failed'
      ? { title: 'Ended: the cluster failed', outcome: 'failed' }
      : { title: 'Ended: the cluster was deleted' },

  idle: (state) =>
    ({
      'awaiting-agent': 'Waits for an agent to enrol and connect.',
      lost: 'Waits for its agent to reconnect.',
      updating: 'Waits for the agent update to finish.',
      degraded: 'Waits for its agent to report that everything is healthy again.',
      deleting: 'Waits for the deletion request.',
    })[state] ?? 'Waits for the next change; nothing is in progress.',
};

function runs(version: string, image: string): string {
  if (image !== '') return `It runs ${release(image)}.`;
  return version === '' ? '' : `It runs ${version}.`;
}
