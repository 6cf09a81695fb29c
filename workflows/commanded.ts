import { type CommandEnded, commandStates } from '../domain/clusters/clusters.ts';
import type { MessageOf, Messages } from './mailbox.ts';
import { fields, nullable, oneOf, text } from './parse.ts';

/** Messages of an actor that waits for its turn, asks an agent for something that is done once, and hears how that ended. */
export const commandedMessages = {
  /** Its turn on the cluster may have come. */
  turn: fields({}),
  /** Somebody has cancelled it: the row says so already. */
  cancelled: fields({}),
  commandFinished: fields({ state: oneOf(...commandStates), message: nullable(text) }),
} satisfies Messages;
export type CommandedMessage = MessageOf<typeof commandedMessages>;

/** Such an actor, and the answer to the query `view`. */
export interface Commanded<State extends string> {
  phase: State | 'queued' | 'running';
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

interface CommandedInput<State extends string> {
  state?: State | 'queued' | 'running';
  revision?: number;
  cancelRequested: boolean;
  heard?: readonly string[];
}

const remembered = 50;

export function begin<State extends string>(input: CommandedInput<State>): Commanded<State> {
  const { state = 'queued', revision = 0, cancelRequested, heard = [] } = input;
  return { phase: state, revision, called: true, cancelling: cancelRequested, stopping: false, ended: null, heard };
}

export function hear<State extends string>(
  actor: Commanded<State>,
  { message, told }: CommandedMessage,
): Commanded<State> {
  if (actor.heard.includes(told.id)) return actor;
  const next = { ...actor, heard: [...actor.heard, told.id].slice(-remembered) };
  switch (message) {
    case 'turn':
      return { ...next, called: true };
    case 'cancelled':
      return { ...next, cancelling: true };
    case 'commandFinished':
      return { ...next, ended: { state: told.body.state, message: told.body.message } };
  }
}

/** The next thing to do; undefined: wait. */
export type Deed = 'claim' | 'stop' | 'finish' | 'cancel';

/** Of an actor whose phase is not final. */
export function next({ phase, called, cancelling, stopping, ended }: Commanded<string>): Deed | undefined {
  if (phase === 'queued') return cancelling ? 'cancel' : called ? 'claim' : undefined;
  if (ended !== null) return 'finish';
  if (called) return 'claim';
  return cancelling && !stopping ? 'stop' : undefined;
}
