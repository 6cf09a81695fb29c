import { type Facts, factsOf, textOf } from '../../domain/history-steps/event.ts';
import { release } from '../../domain/history-steps/in-words.ts';
import type { ActorWords, Before, Said, TimerWords } from '../../domain/history-steps/words.ts';

const to = (about: Facts): string => release(textOf(about.toImage));
const from = (about: Facts): string => release(textOf(about.fromImage));

/** The update of a cluster's agent to another release. */
export const agentUpdateWords: ActorWords = {
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

  about: (input) => `The agent is to go from ${from(input)} to ${to(input)}.`,

  activities: {
    beginAgentUpdate: {
      kind: 'asked',
      todo: (_, about) => `ask the agent to switch to ${to(about)}`,
      done(_, result, about) {
        const refused = textOf(factsOf(result).refused);
        if (refused === '') return { title: `Asked the agent to switch to ${to(about)}`, detail: path(about) };
        return { title: 'Did not ask the agent: the update cannot begin', detail: refused, outcome: 'failed' };
      },
    },
    showAgentUpdate: {
      kind: 'did',
      todo: (input, about) => `write down that ${phase(textOf(input.state), about)}`,
      done(input, result, about) {
        const [wanted, row] = [textOf(input.state), textOf(factsOf(result).state)];
        if (factsOf(result).ahead !== undefined) return { title: `Found that more had happened: ${phase(row, about)}` };
        if (row !== '' && row !== wanted) return { title: `Found that it was over already: ${phase(row, about)}` };
        return { title: `Wrote down that ${phase(wanted, about)}`, detail: textOf(input.message) };
      },
    },
  },

  signals: {
    hello: (body, about) => ({ kind: 'heard', ...hello(body, about) }),
    progress: (body, about) => ({
      kind: 'heard',
      title: `Heard from the agent: ${body.phase === 'switching' ? 'it switches to' : 'it downloads'} ${to(about)}`,
    }),
    commandFinished: (body, about) => ({
      kind: 'heard',
      title: `Heard from the agent: ${command(textOf(body.state), about)}`,
      detail: textOf(body.message),
    }),
    cancelled: () => ({ kind: 'decided', title: 'Somebody cancelled the update' }),
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
    downloading: `the agent downloads ${to(about)}`,
    switching: `the agent switches to ${to(about)}`,
    confirming: `${to(about)} has to say hello`,
    succeeded: `the agent runs ${to(about)}`,
    returned: `the agent came back to ${from(about)} by itself`,
    failed: 'the update failed',
    cancelled: 'the update was cancelled',
  };
  return phases[state] ?? `its state is ${state || 'unknown'}`;
}

function hello({ image, returned }: Facts, about: Facts): Said {
  const version = release(textOf(image));
  const back = factsOf(returned);
  if (textOf(back.reason) === '') return { title: `Heard from the agent: hello, it runs ${version}` };
  return {
    title: `Heard from the agent: hello, it is back on ${version}`,
    detail: `${release(textOf(back.from) || textOf(about.toImage))} did not work: ${textOf(back.reason)}`,
  };
}

function command(state: string, about: Facts): string {
  const ends: Record<string, string> = {
    done: `it has put ${to(about)} in place`,
    failed: `it could not put ${to(about)} in place`,
    unknown: 'it was interrupted and cannot say how far it came',
    lost: 'the one that had begun never came back',
    cancelled: 'it has stopped, as it was asked to',
    expired: 'nothing; it did not take the update in time',
  };
  return ends[state] ?? `its part of the update is ${state || 'over'}`;
}

/** The phase that was written down last has the deadline. */
function timer({ activity, input }: Before, about: Facts): TimerWords {
  const state = activity === 'showAgentUpdate' ? textOf(input.state) : 'requested';
  const hello = { what: "for the agent's hello", came: 'it came', missed: 'it did not come' };
  const answer = { came: 'the agent answered', missed: 'the agent did not answer' };
  const waits: Record<string, typeof hello> = {
    requested: { what: 'for the agent to take the update', ...answer },
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
