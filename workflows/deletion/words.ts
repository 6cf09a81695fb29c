import { factsOf, numberOf, textOf } from '../../domain/history-steps/event.ts';
import { duration, moment } from '../../domain/history-steps/in-words.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';

const ends: Readonly<Record<string, string>> = {
  purged: 'the organization was purged',
  restored: 'the organization was restored',
  failed: 'the deletion failed',
};
const end = (state: string): string => ends[state] ?? `its state is ${state || 'unknown'}`;

/** The deletion of an organization: kept for a while, then purged. */
export const deletionWords: ActorWords = {
  many: 'Deletions of organizations',
  title: (name) => `Deletion of ${name}`,
  states: {
    retained: { word: 'Restorable', tone: 'neutral' },
    purging: { word: 'Purging', tone: 'live' },
    purged: { word: 'Purged', tone: 'neutral' },
    restored: { word: 'Restored', tone: 'good' },
    failed: { word: 'Failed', tone: 'fault' },
  },

  about: ({ restoreUntil }) =>
    `The organization is deleted; its owner can restore it until ${moment(textOf(restoreUntil))}.`,

  activities: {
    claimPurge: {
      kind: 'did',
      todo: () => 'start the purge of the organization',
      done(_, result) {
        const { answer, state, milliseconds } = factsOf(result);
        if (answer === 'claimed') {
          return {
            title: 'Started the purge of the organization',
            detail: 'From here on it cannot be restored.',
            state: 'purging',
          };
        }
        if (answer === 'early') {
          return {
            title: `Did not purge the organization: it is kept for another ${duration(numberOf(milliseconds))}`,
          };
        }
        return { title: `Did not purge the organization: ${end(textOf(state))}` };
      },
    },
    purgeOrganization: {
      kind: 'did',
      todo: () => 'delete everything in the organization',
      done(_, result) {
        const rows = numberOf(factsOf(result).deletedRows);
        return { title: 'Deleted everything in the organization', detail: rows > 0 ? `${rows} rows.` : '' };
      },
    },
    finishDeletion: {
      kind: 'did',
      onlyRecords: true,
      todo: ({ state }) => `record that ${end(textOf(state))}`,
      done({ state, message }, result) {
        const [wanted, row] = [textOf(state), textOf(factsOf(result).state)];
        if (row !== '' && row !== wanted) return { title: `Found the deletion already finished: ${end(row)}` };
        return { title: `Recorded that ${end(wanted)}`, detail: textOf(message), state: wanted };
      },
    },
  },

  signals: {
    restored: () => ({ kind: 'decided', title: 'The owner restored the organization' }),
    purgeNow: () => ({ kind: 'decided', title: 'The owner requested the purge now' }),
  },

  timer: () => ({
    what: 'for its owner to restore the organization',
    fired: (within) => ({ title: `Kept the organization for ${within}: its owner did not restore it` }),
    stopped: (after, by) =>
      by === ''
        ? { title: `Kept the organization for ${after}: the deletion was cancelled`, outcome: 'cancelled' }
        : { title: `Kept the organization for ${after}: then its owner decided` },
  }),

  ended(result) {
    const state = textOf(result);
    return { title: `Ended: ${end(state)}`, outcome: state === 'failed' ? 'failed' : 'done' };
  },

  idle: () => '',
};
