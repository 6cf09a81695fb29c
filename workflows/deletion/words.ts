import { factsOf, numberOf, textOf } from '../../domain/history-steps/event.ts';
import { duration, moment } from '../../domain/history-steps/in-words.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';

const ends: Readonly<Record<string, string>> = {
  purged: 'the organization is gone for good',
  restored: 'the organization was restored',
  failed: 'the deletion failed',
};
const end = (state: string): string => ends[state] ?? `its state is ${state || 'unknown'}`;

/** The deletion of an organization: kept for a while, then gone for good. */
export const deletionWords: ActorWords = {
  many: 'Deletions of organizations',
  title: (name) => `Deletion of ${name}`,
  states: {
    retained: { word: 'Kept for restoring', tone: 'neutral' },
    purging: { word: 'Being deleted for good', tone: 'live' },
    purged: { word: 'Gone for good', tone: 'neutral' },
    restored: { word: 'Restored', tone: 'good' },
    failed: { word: 'Failed', tone: 'fault' },
  },

  about: ({ restoreUntil }) =>
    `The organization is deleted; its owner can restore it until ${moment(textOf(restoreUntil))}.`,

  activities: {
    claimPurge: {
      kind: 'did',
      todo: () => 'begin to delete the organization for good',
      done(_, result) {
        const { answer, state, milliseconds } = factsOf(result);
        if (answer === 'claimed') {
          return { title: 'Began to delete the organization for good', detail: 'From here on it cannot be restored.' };
        }
        if (answer === 'early') {
          return { title: `Left the organization alone: it is kept for another ${duration(numberOf(milliseconds))}` };
        }
        return { title: `Left the organization alone: ${end(textOf(state))}` };
      },
    },
    purgeOrganization: {
      kind: 'did',
      todo: () => 'delete all that belongs to the organization',
      done(_, result) {
        const rows = numberOf(factsOf(result).deletedRows);
        return { title: 'Deleted all that belonged to the organization', detail: rows > 0 ? `${rows} rows.` : '' };
      },
    },
    finishDeletion: {
      kind: 'did',
      todo: ({ state }) => `write down that ${end(textOf(state))}`,
      done({ state, message }, result) {
        const [wanted, row] = [textOf(state), textOf(factsOf(result).state)];
        if (row !== '' && row !== wanted) return { title: `Found that it was over already: ${end(row)}` };
        return { title: `Wrote down that ${end(wanted)}`, detail: textOf(message) };
      },
    },
  },

  signals: {
    restored: () => ({ kind: 'decided', title: 'The owner restored the organization' }),
    purgeNow: () => ({ kind: 'decided', title: 'The owner asked to delete it for good at once' }),
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
