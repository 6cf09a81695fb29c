import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type Actor = Answers['workflows']['list']['items'][number];
type Kind = Actor['kind'];
interface StateWords {
  word: string;
  tone: Tone;
}

interface KindWords {
  /** All of its kind, as in a filter. */
  many: string;
  title: (name: string) => string;
  states: Readonly<Record<string, StateWords>>;
}

/** What people call the actors and their states. */
export const actorKinds: Readonly<Record<Kind, KindWords>> = {
  cluster: {
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
  },
  'agent-update': {
    many: 'Updates of agents',
    title: (name) => `Update of the agent of ${name}`,
    states: {
      requested: { word: 'Asked for', tone: 'live' },
      downloading: { word: 'Downloading', tone: 'live' },
      switching: { word: 'Switching', tone: 'live' },
      confirming: { word: 'Being confirmed', tone: 'live' },
      succeeded: { word: 'Succeeded', tone: 'good' },
      returned: { word: 'Went back to the old release', tone: 'attention' },
      failed: { word: 'Failed', tone: 'fault' },
      cancelled: { word: 'Cancelled', tone: 'neutral' },
    },
  },
  deletion: {
    many: 'Deletions of organizations',
    title: (name) => `Deletion of ${name}`,
    states: {
      retained: { word: 'Kept for restoring', tone: 'neutral' },
      purging: { word: 'Being deleted for good', tone: 'live' },
      purged: { word: 'Gone for good', tone: 'neutral' },
      restored: { word: 'Restored', tone: 'good' },
      failed: { word: 'Failed', tone: 'fault' },
    },
  },
};

/** A control plane newer than this page may know of more; what is not known here is named as it is. */
export function actorTitle({ kind, name }: Pick<Actor, 'kind' | 'name'>): string {
  return Object.hasOwn(actorKinds, kind) ? actorKinds[kind].title(name) : `${kind} ${name}`;
}

export function stateWords({ kind, state }: Pick<Actor, 'kind' | 'state'>): StateWords {
  const states = Object.hasOwn(actorKinds, kind) ? actorKinds[kind].states : {};
  return (Object.hasOwn(states, state) ? states[state] : undefined) ?? { word: state, tone: 'neutral' };
}
