import { factsOf, numberOf, textOf } from './event.ts';
import type { ActivityWords } from './words.ts';

/** The activities that every kind of actor has, and those that no kind has any more, by name. */
export const frameActivities: Readonly<Record<string, ActivityWords>> = {
  claimActor: {
    kind: 'did',
    todo: () => 'read the current state',
    done: (_, result) => ({ title: 'Read the current state', detail: found(result) }),
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
    todo: () => 'archive the history of the previous run',
    done: () => ({ title: 'Archived the history of the previous run' }),
  },
  // Only histories of 0.1.0 contain this activity: clusters no longer fail.
  failCluster: {
    kind: 'did',
    todo: () => 'record that the cluster failed',
    done: ({ message }) => ({
      title: 'Recorded that the cluster failed',
      detail: textOf(message),
      outcome: 'failed',
    }),
  },
};

/** The messages that every kind of actor hears, by name. */
export const frameSignals: Readonly<Record<string, string>> = {
  lookAgain: 'The control plane asked for a look at the current state',
};

function found(result: unknown): string {
  const { over, ahead } = factsOf(result);
  if (over === true) return 'Already finished.';
  if (ahead === undefined) return '';
  const revision = numberOf(factsOf(ahead).revision);
  return `The recorded state is further ahead; continues from there${revision > 0 ? ` (revision ${revision})` : ''}.`;
}
