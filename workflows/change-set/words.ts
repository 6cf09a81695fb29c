import { factsOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';

const phases: Readonly<Record<string, string>> = {
  held: 'the changes wait for their approval',
  applying: 'its deployments run',
  applied: 'all changes are live',
  failed: 'not all changes went live',
  rejected: 'the changes were rejected',
  expired: 'nobody approved the changes in time',
  cancelled: 'the changes were cancelled',
};
const phase = (state: string): string => phases[state] ?? `its state is ${state || 'not known'}`;

/** Changes of an environment that were applied together. */
export const changeSetWords: ActorWords = {
  many: 'Change sets',
  title: (name) => `Change set: ${name}`,
  states: {
    held: { word: 'Waiting for approval', tone: 'attention' },
    applying: { word: 'Applying', tone: 'live' },
    applied: { word: 'Applied', tone: 'good' },
    failed: { word: 'Failed', tone: 'fault' },
    rejected: { word: 'Rejected', tone: 'attention' },
    expired: { word: 'Expired', tone: 'attention' },
    cancelled: { word: 'Cancelled', tone: 'neutral' },
  },

  about: () => 'Applies staged changes.',

  activities: {
    settleChangeSet: {
      kind: 'did',
      onlyRecords: true,
      todo: () => 'see how its deployments stand',
      done(_, result) {
        const { state, message } = factsOf(result);
        return {
          title: `Recorded that ${phase(textOf(state))}`,
          detail: textOf(message),
          state: textOf(state),
          ...(state === 'failed' ? { outcome: 'failed' } : {}),
        };
      },
    },
    expireChangeSet: {
      kind: 'did',
      todo: () => 'close the approval, whose time has passed',
      done: (_, result) => ({
        title:
          factsOf(result).state === 'expired'
            ? 'Closed the approval: its time has passed'
            : 'Found the approval decided',
        state: textOf(factsOf(result).state),
      }),
    },
  },

  signals: {
    decided: () => ({ kind: 'heard', title: 'The approval was decided' }),
    deploymentEnded: () => ({ kind: 'heard', title: 'One of its deployments ended' }),
  },

  timer: () => ({
    what: 'for the approval',
    fired: (within) => ({ title: `Nobody decided within ${within}`, outcome: 'timed-out' }),
    stopped: (after) => ({ title: `Waited for the approval for ${after}` }),
  }),

  ended(result) {
    const state = textOf(result);
    return {
      title: `Ended: ${phase(state)}`,
      outcome: state === 'applied' ? 'done' : state === 'failed' || state === 'expired' ? 'failed' : 'cancelled',
    };
  },

  idle: (state) => (state === 'held' ? 'Waits for its approval.' : 'Waits for its deployments.'),
};
