import { release } from '../../domain/history-steps/in-words.ts';
import { type Facts, factsOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords, Before, Said, TimerWords } from '../../domain/history-steps/words.ts';

const to = (about: Facts): string => release(textOf(about.toImage));
const from = (about: Facts): string => release(textOf(about.fromImage));

/** The update of a cluster's agent to another release. */
export const agentUpdateWords: ActorWords = {
  many: 'Agent updates',
  title: (name) => `Agent update: ${name}`,
  states: {
    requested: { word: 'Requested', tone: 'live' },
    downloading: { word: 'Downloading', tone: 'live' },
    switching: { word: 'Switching', tone: 'live' },
    confirming: { word: 'Confirming', tone: 'live' },
    succeeded: { word: 'Succeeded', tone: 'good' },
    returned: { word: 'Rolled back', tone: 'attention' },
    failed: { word: 'Failed', tone: 'fault' },
    cancelled: { word: 'Cancelled', tone: 'neutral' },
  },

  about: (input) => `Updates the agent from ${from(input)} to ${to(input)}.`,

  activities: {
    beginAgentUpdate: {
      kind: 'asked',
      todo: (_, about) => `ask the agent to switch to ${to(about)}`,
      done(_, result, about) {
        const refused = textOf(factsOf(result).refused);
        if (refused === '') return { title: `Asked the agent to switch to ${to(about)}`, detail: path(about) };
        return { title: 'Did not ask the agent: the update cannot start', detail: refused, outcome: 'failed' };
      },
    },
    showAgentUpdate: {
      kind: 'did',
      onlyRecords: true,
      todo: (input, about) => `record that ${phase(textOf(input.state), about)}`,
      done(input, result, about) {
        const [wanted, row] = [textOf(input.state), textOf(factsOf(result).state)];
        if (factsOf(result).ahead !== undefined)
          return { title: `Found the update further ahead: ${phase(row, about)}` };
        if (row !== '' && row !== wanted) return { title: `Found the update already finished: ${phase(row, about)}` };
        return { title: `Recorded that ${phase(wanted, about)}`, detail: textOf(input.message), state: wanted };
      },
    },
  },

  signals: {
    hello: (body, about) => ({ kind: 'heard', ...hello(body, about) }),
    progress: (body, about) => ({
      kind: 'heard',
      title: `The agent reported: ${body.phase === 'switching' ? 'switching to' : 'downloading'} ${to(about)}`,
      state: textOf(body.phase),
    }),
    commandFinished: (body, about) => ({
      kind: 'heard',
      title: `The agent reported: ${command(textOf(body.state), about)}`,
      detail: textOf(body.message),
      state: body.state === 'done' || body.state === 'unknown' ? 'confirming' : 'failed',
      outcome: body.state === 'failed' || body.state === 'lost' || body.state === 'expired' ? 'failed' : 'done',
    }),
    cancelled: () => ({ kind: 'decided', title: 'A user cancelled the update', state: 'cancelled' }),
  },

  timer,

  ended(result, about) {
    const state = textOf(result);
    return {
      title: `Ended: ${phase(state, about)}`,
      outcome: state === 'succeeded' ? 'done' : state === 'cancelled' ? 'cancelled' : 'failed',
    };
  },

  idle: () => '',
};

function path(about: Facts): string {
  return `From ${textOf(about.fromImage)} to ${textOf(about.toImage)}.`;
}

function phase(state: string, about: Facts): string {
  const phases: Record<string, string> = {
    requested: 'the agent has not answered yet',
    downloading: `the agent is downloading ${to(about)}`,
    switching: `the agent is switching to ${to(about)}`,
    confirming: `${to(about)} has not connected yet`,
    succeeded: `the agent runs ${to(about)}`,
    returned: `the agent rolled back to ${from(about)}`,
    failed: 'the update failed',
    cancelled: 'the update was cancelled',
  };
  return phases[state] ?? `its state is ${state || 'unknown'}`;
}

function hello({ image, returned }: Facts, about: Facts): Said {
  const version = release(textOf(image));
  const back = factsOf(returned);
  if (textOf(back.reason) === '') {
    return { title: `The agent connected with ${version}`, ...(image === about.toImage ? { state: 'succeeded' } : {}) };
  }
  return {
    state: 'returned',
    outcome: 'failed',
    title: `The agent connected, back on ${version}`,
    detail: `${release(textOf(back.from) || textOf(about.toImage))} did not work: ${textOf(back.reason)}`,
  };
}

function command(state: string, about: Facts): string {
  const ends: Record<string, string> = {
    done: `${to(about)} is installed`,
    failed: `${to(about)} could not be installed`,
    unknown: 'interrupted; its result is not known',
    lost: 'no answer; the agent that had started the update never reconnected',
    cancelled: 'stopped as requested',
    expired: 'no answer; the update was not accepted in time',
  };
  return ends[state] ?? `the update command is ${state || 'finished'}`;
}

/** The deadline belongs to the phase recorded last. */
function timer({ activity, input }: Before, about: Facts): TimerWords {
  const state = activity === 'showAgentUpdate' ? textOf(input.state) : 'requested';
  const hello = { what: 'for the agent to connect', came: 'it connected', missed: 'it did not connect' };
  const answer = { came: 'the agent answered', missed: 'the agent did not answer' };
  const waits: Record<string, typeof hello> = {
    requested: { what: 'for the agent to accept the update', ...answer },
    downloading: { what: `for the agent to download ${to(about)}`, ...answer },
    switching: hello,
    confirming: hello,
  };
  const { what, came, missed } = waits[state] ?? { what: 'for the agent', ...answer };
  return {
    what,
    fired: (within) => ({ title: `Waited ${what}: ${missed} within ${within}`, outcome: 'timed-out' }),
    stopped: (after, by) =>
      by === 'cancelled' || by === ''
        ? { title: `Waited ${what}: it was cancelled after ${after}`, outcome: 'cancelled' }
        : { title: `Waited ${what}: ${came} after ${after}` },
  };
}
