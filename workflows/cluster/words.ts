import { factsOf, textOf } from '../../domain/history-steps/event.ts';
import { moment, release } from '../../domain/history-steps/in-words.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';

const states: Readonly<Record<string, string>> = {
  'awaiting-agent': 'waits for an agent',
  ready: 'is ready',
  degraded: 'is degraded',
  updating: 'is being updated',
  lost: 'is lost',
  deleting: 'is being deleted',
  deleted: 'is deleted',
  failed: 'failed',
};
const said = (state: string): string => states[state] ?? `is ${state || 'in an unknown state'}`;

const events: Readonly<Record<string, string>> = {
  'agent.enrolled': 'An agent enrolled.',
  'agent.connected': 'The agent came into contact.',
  'agent.lost': 'Nothing was heard of the agent.',
  'agent.reconnected': 'The agent was heard of again.',
  'agent.revoked': "The agent's credential was revoked.",
  'cluster.degraded': 'Something was not as it shall be.',
  'cluster.recovered': 'All was as it shall be again.',
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
    lost: { word: 'No contact', tone: 'fault' },
    deleting: { word: 'Being deleted', tone: 'live' },
    deleted: { word: 'Deleted', tone: 'neutral' },
    failed: { word: 'Failed', tone: 'fault' },
  },

  about: () => 'It follows the cluster for as long as it exists.',

  activities: {
    showCluster: {
      kind: 'did',
      todo: ({ state }) => `write down that the cluster ${said(textOf(state))}`,
      done: ({ state, message, event }) => ({
        title: `Wrote down that the cluster ${said(textOf(state))}`,
        detail: textOf(message) || (events[textOf(factsOf(event).kind)] ?? ''),
      }),
    },
    deleteCluster: {
      kind: 'did',
      todo: () => 'delete the cluster and all that belongs to it',
      done: (_, result) =>
        result === 'failed'
          ? { title: 'Found that the cluster had failed already', outcome: 'failed' }
          : {
              title: 'Deleted the cluster and all that belonged to it',
              detail: 'Its commands ended; its agent is told to go.',
            },
    },
  },

  signals: {
    enrolled: ({ hostname, version }) => ({
      kind: 'heard',
      title: 'An agent enrolled',
      detail: [
        textOf(hostname) && `On the machine ${textOf(hostname)}.`,
        textOf(version) && `Version ${textOf(version)}.`,
      ]
        .filter(Boolean)
        .join(' '),
    }),
    connected: ({ version, image }) => ({
      kind: 'heard',
      title: 'The agent said hello',
      detail: runs(textOf(version), textOf(image)),
    }),
    lost: ({ lastHeardOf }) => ({
      kind: 'heard',
      title: 'The agent was lost: nothing was heard of it any more',
      detail: textOf(lastHeardOf) && `Last heard of: ${moment(textOf(lastHeardOf))}.`,
    }),
    back: ({ version, image }) => ({
      kind: 'heard',
      title: 'The agent was heard of again',
      detail: runs(textOf(version), textOf(image)),
    }),
    revoked: () => ({ kind: 'decided', title: "Somebody revoked the agent's credential" }),
    trouble: ({ text }) =>
      textOf(text) === ''
        ? { kind: 'heard', title: 'The agent told that all is as it shall be again' }
        : { kind: 'heard', title: 'The agent told of trouble', detail: textOf(text) },
    updating: ({ updateId }) => ({
      kind: 'heard',
      title: textOf(updateId) === '' ? 'An update of the agent was over' : 'An update of the agent began',
    }),
    deleting: () => ({ kind: 'decided', title: 'It was decided that the cluster goes' }),
  },

  ended: (result) =>
    result === 'failed'
      ? { title: 'Ended: the cluster failed', outcome: 'failed' }
      : { title: 'Ended: the cluster is deleted' },

  idle: (state) =>
    ({
      'awaiting-agent': 'Waits for an agent to enrol and to say hello.',
      lost: 'Waits for its agent to be heard of again.',
      updating: 'Waits for the update of its agent to be over.',
      degraded: 'Waits for its agent to tell that all is as it shall be again.',
      deleting: 'Waits to be told that the cluster goes.',
    })[state] ?? 'Waits for the next change; nothing is under way.',
};

function runs(version: string, image: string): string {
  if (image !== '') return `It runs ${release(image)}.`;
  return version === '' ? '' : `It runs ${version}.`;
}
