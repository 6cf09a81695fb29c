import type { BuildState } from '../../domain/builds/states.ts';
import type { Tone } from '../../domain/history-steps/step.ts';
import { factsOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';

export const buildStateWords = {
  queued: { word: 'Queued', tone: 'attention' },
  running: { word: 'Running', tone: 'live' },
  succeeded: { word: 'Succeeded', tone: 'good' },
  failed: { word: 'Failed', tone: 'fault' },
  superseded: { word: 'Superseded', tone: 'neutral' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
} as const satisfies Record<BuildState, { word: string; tone: Tone }>;

/** The build of an image. */
export const buildWords: ActorWords = {
  many: 'Builds',
  title: (name) => `Build: ${name}`,
  states: buildStateWords,

  about: () => 'Builds an image of a source and deploys it.',

  activities: {
    claimBuild: {
      kind: 'did',
      todo: () => 'start when it is its turn',
      done(_, result) {
        const { state, message } = factsOf(result);
        if (state === 'running') return { title: 'Asked the agent to build', state: 'running' };
        if (state === 'queued') return { title: 'Waited for its turn', detail: textOf(message) };
        return { title: `Found it ${phase(textOf(state))}`, state: textOf(state) };
      },
    },
    stopBuild: {
      kind: 'asked',
      todo: () => 'ask the agent to stop',
      done: () => ({ title: 'Asked the agent to stop' }),
    },
    releaseBuild: {
      kind: 'did',
      todo: () => 'release and deploy what was built',
      done(_, result) {
        const { error, deploymentId } = factsOf(result);
        if (textOf(error) !== '') return { title: 'Did not deploy it', detail: textOf(error), outcome: 'failed' };
        if (textOf(deploymentId) === '') return { title: 'Released nothing: only the image was asked for' };
        return { title: 'Released it and requested its deployment' };
      },
    },
    tellHost: {
      kind: 'asked',
      todo: (input) => `tell the host of the commit that it ${phase(textOf(input.state))}`,
      done(input, result) {
        const { told, why } = factsOf(result);
        const state = phase(textOf(input.state));
        return told === true
          ? { title: `Told the host of the commit that it ${state}` }
          : { title: `Did not tell the host of the commit that it ${state}`, detail: textOf(why) };
      },
    },
    finishBuild: {
      kind: 'did',
      onlyRecords: true,
      todo: (input) => `record that it ${phase(textOf(input.state))}`,
      done(_, result) {
        const state = textOf(factsOf(result).state);
        return { title: `Recorded that it ${phase(state)}`, detail: textOf(factsOf(result).message), state };
      },
    },
  },

  signals: {
    turn: () => ({ kind: 'heard', title: 'Heard that its turn has come' }),
    superseded: () => ({ kind: 'heard', title: 'Heard that a newer commit took its place' }),
    cancelled: () => ({ kind: 'decided', title: 'A user cancelled the build' }),
    commandFinished: (body) => ({
      kind: 'heard',
      title: `The agent reported: ${command(textOf(body.state))}`,
      detail: textOf(body.message),
      outcome: body.state === 'done' ? 'done' : body.state === 'cancelled' ? 'cancelled' : 'failed',
    }),
  },

  timer: () => ({
    what: 'for its turn',
    fired: (within) => ({ title: `Waited ${within} for its turn, and asked again` }),
    stopped: (after) => ({ title: `Waited ${after} for its turn` }),
  }),

  ended(result) {
    const state = textOf(result);
    return {
      title: `Ended: it ${phase(state)}`,
      outcome: state === 'succeeded' ? 'done' : state === 'failed' ? 'failed' : 'cancelled',
    };
  },

  idle: (state) => (state === 'queued' ? 'Waiting for its turn.' : 'Waiting for the agent to finish the build.'),
};

function phase(state: string): string {
  const phases: Record<string, string> = {
    queued: 'waits for its turn',
    running: 'is running',
    succeeded: 'succeeded',
    failed: 'failed',
    superseded: 'was superseded',
    cancelled: 'was cancelled',
  };
  return phases[state] ?? `is ${state || 'unknown'}`;
}

function command(state: string): string {
  const ends: Record<string, string> = {
    done: 'the build has ended',
    failed: 'the build could not be done',
    unknown: 'it was interrupted in the build',
    lost: 'no answer; the agent that had taken the build never reconnected',
    cancelled: 'stopped as requested',
    expired: 'no answer; the build was not accepted in time',
  };
  return ends[state] ?? `the command is ${state || 'finished'}`;
}
