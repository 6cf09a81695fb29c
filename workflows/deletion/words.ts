import { duration, moment } from '../../domain/history-steps/in-words.ts';
import { type Facts, factsOf, numberOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';

/** As people call what is deleted; the input of an organization's deletion names no kind. */
const noun = ({ thing }: Facts): string => textOf(thing) || 'organization';
const who = ({ thing }: Facts): string => (textOf(thing) === '' ? 'The owner' : 'Somebody');

function end(state: string, about: Facts): string {
  if (state === 'purged' || state === 'restored') return `the ${noun(about)} was ${state}`;
  return state === 'failed' ? 'the deletion failed' : `its state is ${state || 'unknown'}`;
}

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

  about(input) {
    const until = moment(textOf(input.restoreUntil));
    if (textOf(input.thing) === '') return `The organization is deleted; its owner can restore it until ${until}.`;
    return `The ${noun(input)} is deleted, and can be restored until ${until}.`;
  },

  activities: {
    claimPurge: {
      kind: 'did',
      todo: (_, about) => `start the purge of the ${noun(about)}`,
      done(_, result, about) {
        const { answer, state, milliseconds } = factsOf(result);
        if (answer === 'claimed') {
          return {
            title: `Started the purge of the ${noun(about)}`,
            detail: 'From here on it cannot be restored.',
            state: 'purging',
          };
        }
        if (answer === 'early') {
          return {
            title: `Did not purge the ${noun(about)}: it is kept for another ${duration(numberOf(milliseconds))}`,
          };
        }
        return { title: `Did not purge the ${noun(about)}: ${end(textOf(state), about)}` };
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
      todo: (_, about) => `delete all of the ${noun(about)}`,
      done(_, result, about) {
        const { deletedRows, waits, undeleted } = factsOf(result);
        if (textOf(waits) !== '') return { title: 'Waited with the purge', detail: textOf(waits) };
        const rows = numberOf(deletedRows) > 0 ? `${numberOf(deletedRows)} rows.` : '';
        if (textOf(undeleted) === '') return { title: `Deleted all of the ${noun(about)}`, detail: rows };
        const detail = [rows, textOf(undeleted)].filter((part) => part !== '').join(' ');
        return { title: `Deleted the ${noun(about)}, but not all of its data`, detail };
      },
    },
    finishDeletion: {
      kind: 'did',
      onlyRecords: true,
      todo: ({ state }, about) => `record that ${end(textOf(state), about)}`,
      done({ state, message }, result, about) {
        const [wanted, row] = [textOf(state), textOf(factsOf(result).state)];
        if (row !== '' && row !== wanted) return { title: `Found the deletion already finished: ${end(row, about)}` };
        return { title: `Recorded that ${end(wanted, about)}`, detail: textOf(message), state: wanted };
      },
    },
  },

  signals: {
    restored: (_, about) => ({ kind: 'decided', title: `${who(about)} restored the ${noun(about)}` }),
    purgeNow: (_, about) => ({ kind: 'decided', title: `${who(about)} requested the purge now` }),
    commandFinished: (body) => ({
      kind: 'heard',
      title: `The agent's command ended: ${textOf(body.state)}`,
      detail: textOf(body.message),
    }),
  },

  timer({ activity }, about) {
    const it = noun(about);
    // The purge pauses while it waits for an agent, and makes another attempt.
    if (activity === 'purgeThing') {
      return {
        what: 'for its next attempt to purge',
        fired: (within) => ({ title: `Paused for ${within}` }),
        stopped: (after) => ({ title: `Paused for ${after}: then something was told` }),
      };
    }
    const decides = textOf(about.thing) === '' ? 'its owner' : 'somebody';
    return {
      what: `for ${decides} to restore the ${it}`,
      fired: (within) => ({
        title: `Kept the ${it} for ${within}: ${decides === 'somebody' ? 'nobody restored it' : 'its owner did not restore it'}`,
      }),
      stopped: (after, by) =>
        by === ''
          ? { title: `Kept the ${it} for ${after}: the deletion was cancelled`, outcome: 'cancelled' }
          : { title: `Kept the ${it} for ${after}: then ${decides} decided` },
    };
  },

  ended(result, about) {
    const state = textOf(result);
    return { title: `Ended: ${end(state, about)}`, outcome: state === 'failed' ? 'failed' : 'done' };
  },

  idle: () => '',
};
