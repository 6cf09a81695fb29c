import { factsOf, numberOf, textOf } from '../../domain/history-steps/event.ts';
import { duration, moment } from '../../domain/history-steps/in-words.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';

const ends: Readonly<Record<string, string>> = {
  purged: 'it was purged',
  restored: 'it was restored',
  failed: 'the deletion failed',
};
const end = (state: string): string => ends[state] ?? `its state is ${state || 'unknown'}`;

/** The deletion of an organization or of a part of it: kept for a while, then purged. */
export const deletionWords: ActorWords = {
  many: 'Deletions',
  title: (name) => `Deletion of ${name}`,
  states: {
    retained: { word: 'Restorable', tone: 'neutral' },
    purging: { word: 'Purging', tone: 'live' },
    purged: { word: 'Purged', tone: 'neutral' },
    restored: { word: 'Restored', tone: 'good' },
    failed: { word: 'Failed', tone: 'fault' },
  },

  about: ({ restoreUntil }) => `It is deleted, and can be restored until ${moment(textOf(restoreUntil))}.`,

  activities: {
    claimPurge: {
      kind: 'did',
      todo: () => 'start the purge',
      done(_, result) {
        const { answer, state, milliseconds } = factsOf(result);
        if (answer === 'claimed') {
          return {
            title: 'Started the purge',
            detail: 'From here on it cannot be restored.',
            state: 'purging',
          };
        }
        if (answer === 'early') {
          return {
            title: `Did not purge: it is kept for another ${duration(numberOf(milliseconds))}`,
          };
        }
        return { title: `Did not purge: ${end(textOf(state))}` };
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
    purgeThing: {
      kind: 'did',
      todo: () => 'delete its data and rows',
      done(_, result) {
        const { deletedRows, waits } = factsOf(result);
        if (textOf(waits) !== '') return { title: 'Waited with the purge', detail: textOf(waits) };
        const rows = numberOf(deletedRows);
        return { title: 'Deleted its data and rows', detail: rows > 0 ? `${rows} rows.` : '' };
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
    restored: () => ({ kind: 'decided', title: 'Somebody restored it' }),
    purgeNow: () => ({ kind: 'decided', title: 'Somebody requested the purge now' }),
    commandFinished: (body) => ({
      kind: 'heard',
      title: `The agent's command ended: ${textOf(body.state)}`,
      detail: textOf(body.message),
    }),
  },

  timer: () => ({
    what: 'until its retention or its pause has passed',
    fired: (within) => ({ title: `Waited for ${within}` }),
    stopped: (after, by) =>
      by === ''
        ? { title: `Waited for ${after}: the deletion was cancelled`, outcome: 'cancelled' }
        : { title: `Waited for ${after}: then something was decided` },
  }),

  ended(result) {
    const state = textOf(result);
    return { title: `Ended: ${end(state)}`, outcome: state === 'failed' ? 'failed' : 'done' };
  },

  idle: () => '',
};
