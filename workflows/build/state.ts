import { type BuildState, isBuildFinal } from '../../domain/builds/states.ts';
import type { CommandEnded } from '../../domain/clusters/clusters.ts';
import {
  type Commanded,
  commandedMessages,
  type Deed,
  begin as first,
  hear as take,
  next as then,
} from '../commanded.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields } from '../parse.ts';
import type { BuildInput } from './descriptor.ts';

export const buildMessages = {
  ...commandedMessages,
  /** A newer commit has taken its place: the row says so already, and the claim finds it there. */
  superseded: fields({}),
} satisfies Messages;
export type BuildMessage = MessageOf<typeof buildMessages>;

/** The actor, and the answer to the query `view`. */
export type BuildActor = Commanded<BuildState>;

export const begin = (input: BuildInput): BuildActor => first(input);

export function hear(actor: BuildActor, { message, ...told }: BuildMessage): BuildActor {
  return take(actor, { ...told, message: message === 'superseded' ? 'turn' : message } as Parameters<
    typeof take
  >[1]) as BuildActor;
}

export function next(actor: BuildActor): Deed | undefined {
  return isBuildFinal(actor.phase) ? undefined : then(actor);
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
