import { factsOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';
import { attempted, triedAgain, untilNextAttempt } from '../../domain/notifications/retries.ts';

const phases: Readonly<Record<string, string>> = {
  triggering: 'the pager has not been told yet',
  open: 'the incident is open',
  resolving: 'the pager does not know yet that it is resolved',
  resolved: 'the incident is resolved',
  failed: 'the pager could not be told',
  dropped: 'the incident was dropped',
};
const phase = (state: string): string => phases[state] ?? `its state is ${state || 'not known'}`;

/** Something that is wrong, told to one pager from trigger to resolve. */
export const incidentWords: ActorWords = {
  many: 'Incidents',
  title: (name) => `Incident: ${name}`,
  states: {
    triggering: { word: 'Triggering', tone: 'live' },
    open: { word: 'Open', tone: 'attention' },
    resolving: { word: 'Resolving', tone: 'live' },
    resolved: { word: 'Resolved', tone: 'good' },
    failed: { word: 'Failed', tone: 'fault' },
    dropped: { word: 'Dropped', tone: 'neutral' },
  },

  about: () => 'Tells a pager of an incident, and when it is resolved.',

  activities: {
    attemptIncident: {
      kind: 'asked',
      todo: () => 'tell the pager how the incident stands',
      done: (_, result) =>
        attempted(factsOf(result), {
          open: 'Triggered the incident; the pager accepted it',
          resolving: 'Triggered the incident, which is resolved by now',
          resolved: 'Resolved the incident; the pager accepted it',
          dropped: 'Dropped the incident: its channel is disabled or deleted',
        }),
    },
    failIncident: {
      kind: 'did',
      todo: () => 'record that the pager could not be told',
      done: (_, result) => ({ title: `Recorded that ${phase(textOf(factsOf(result).state))}`, outcome: 'failed' }),
    },
  },

  signals: {
    tryAgain: triedAgain,
    resolved: () => ({ kind: 'heard', title: 'What was wrong is well again' }),
  },

  timer: untilNextAttempt,

  ended(result) {
    const state = textOf(result);
    return {
      title: `Ended: ${phase(state)}`,
      outcome: state === 'resolved' ? 'done' : state === 'failed' ? 'failed' : 'cancelled',
    };
  },

  idle: (state) => (state === 'open' ? 'Waits until what is wrong is well again.' : 'Waits for its next attempt.'),
};
