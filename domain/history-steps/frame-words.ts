import { factsOf, numberOf, textOf } from './event.ts';
import type { ActivityWords } from './words.ts';

/** The activities that every kind of actor has, and those that no kind has any more, by name. */
export const frameActivities: Readonly<Record<string, ActivityWords>> = {
  claimActor: {
    kind: 'did',
    todo: () => 'look up where it stands',
    done: (_, result) => ({ title: 'Looked up where it stands', detail: found(result) }),
  },
  reportUnreadable: {
    kind: 'did',
    todo: ({ message }) => `report that the message “${textOf(message)}” cannot be read`,
    done: ({ message, why }) => ({
      title: `Skipped the message “${textOf(message)}”: it cannot be read`,
      detail: textOf(why),
      outcome: 'failed',
    }),
  },
  archiveRun: {
    kind: 'did',
    todo: () => 'put the history of the run before into the archive',
    done: () => ({ title: 'Put the history of the run before into the archive' }),
  },
  // Only histories of 0.1.0 have it: a cluster does not fail any more.
  failCluster: {
    kind: 'did',
    todo: () => 'write down that the cluster failed',
    done: ({ message }) => ({
      title: 'Wrote down that the cluster failed',
      detail: textOf(message),
      outcome: 'failed',
    }),
  },
};

/** The messages that every kind of actor hears, by name. */
export const frameSignals: Readonly<Record<string, string>> = {
  lookAgain: 'The control plane asked it to look up where it stands',
};

function found(result: unknown): string {
  const { over, ahead } = factsOf(result);
  if (over === true) return 'It is over already.';
  if (ahead === undefined) return '';
  const revision = numberOf(factsOf(ahead).revision);
  return `More had happened than it knew; it continues from there${revision > 0 ? ` (revision ${revision})` : ''}.`;
}
