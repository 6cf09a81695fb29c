import { type BuildState, isBuildFinal } from '../../domain/builds/states.ts';
import { type CommandEnded, commandStates } from '../../domain/clusters/clusters.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields, nullable, oneOf, text } from '../parse.ts';
import type { BuildInput } from './descriptor.ts';

export const buildMessages = {
  /** Its turn on the cluster may have come. */
  turn: fields({}),
  /** Somebody has cancelled it: the row says so already. */
  cancelled: fields({}),
  /** A newer commit has taken its place: the row says so already, and the claim finds it there. */
  superseded: fields({}),
  commandFinished: fields({ state: oneOf(...commandStates), message: nullable(text) }),
} satisfies Messages;
export type BuildMessage = MessageOf<typeof buildMessages>;

/** The actor, and the answer to the query `view`. */
export interface BuildActor {
  phase: BuildState;
  /** Grows with each write and guards the row against an older writer. */
  revision: number;
  /** A place may be free, or the run before this one has heard how the command ended: the row is claimed again. */
  called: boolean;
  cancelling: boolean;
  /** The agent was asked to stop. */
  stopping: boolean;
  ended: CommandEnded | null;
  heard: readonly string[];
}

const remembered = 50;

export function begin({ state = 'queued', revision = 0, cancelRequested, heard = [] }: BuildInput): BuildActor {
  return { phase: state, revision, called: true, cancelling: cancelRequested, stopping: false, ended: null, heard };
}

export function hear(actor: BuildActor, { message, told }: BuildMessage): BuildActor {
  if (actor.heard.includes(told.id)) return actor;
  const next = { ...actor, heard: [...actor.heard, told.id].slice(-remembered) };
  switch (message) {
    case 'turn':
    case 'superseded':
      return { ...next, called: true };
    case 'cancelled':
      return { ...next, cancelling: true };
    case 'commandFinished':
      return { ...next, ended: { state: told.body.state, message: told.body.message } };
  }
}

/** The next thing to do; undefined: wait. */
export type Deed = 'claim' | 'stop' | 'finish' | 'cancel';

export function next({ phase, called, cancelling, stopping, ended }: BuildActor): Deed | undefined {
  if (isBuildFinal(phase)) return undefined;
  if (phase === 'queued') return cancelling ? 'cancel' : called ? 'claim' : undefined;
  if (ended !== null) return 'finish';
  if (called) return 'claim';
  return cancelling && !stopping ? 'stop' : undefined;
}

/** The end that follows from what the agent told, and the sentence of one that did not succeed. */
export function endOf({ state, message }: CommandEnded): {
  state: 'succeeded' | 'failed' | 'cancelled';
  message: string;
} {
  switch (state) {
    case 'done':
      return { state: 'succeeded', message: '' };
    case 'cancelled':
      return { state: 'cancelled', message: message ?? 'The build was cancelled.' };
    case 'failed':
      return { state: 'failed', message: message ?? 'The agent could not build it and did not say why.' };
    case 'expired':
      return {
        state: 'failed',
        message: 'The agent did not take the build in time; build again when it is in contact.',
      };
    case 'lost':
      return { state: 'failed', message: 'The agent that built it lost contact and did not come back; build again.' };
    default:
      return { state: 'failed', message: 'The agent was interrupted while it built; build again.' };
  }
}
