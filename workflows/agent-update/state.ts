import { type CommandState, commandStates } from '../../domain/clusters/clusters.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields, nullable, oneOf, text } from '../parse.ts';
import { type AgentUpdateInput, type AgentUpdateState, agentUpdatePatience, isAgentUpdateOver } from './descriptor.ts';

export const agentUpdateMessages = {
  /** An agent has said hello. `returned`: it is the one from before an update that was tried. */
  hello: fields({ image: text, returned: nullable(fields({ from: text, reason: text })) }),
  /** The agent's own account of its progress. */
  progress: fields({ phase: oneOf('downloading', 'switching') }),
  commandFinished: fields({ state: oneOf(...commandStates), message: nullable(text) }),
  /** Somebody has cancelled it: the row says so already. */
  cancelled: fields({}),
} satisfies Messages;
export type UpdateMessage = MessageOf<typeof agentUpdateMessages>;

/** The answer to the query `view`. */
export interface AgentUpdateView {
  phase: AgentUpdateState;
  revision: number;
  message: string | null;
}

export interface UpdateState {
  phase: AgentUpdateState;
  /** Grows with each phase and guards the row against an older writer. */
  revision: number;
  /** Why it ended as it did. */
  message: string | null;
  fromImage: string;
  toImage: string;
  heard: readonly string[];
}

const remembered = 200;

const transitions: Readonly<Record<AgentUpdateState, readonly AgentUpdateState[]>> = {
  requested: ['downloading', 'switching', 'confirming', 'succeeded', 'returned', 'failed', 'cancelled'],
  downloading: ['switching', 'confirming', 'succeeded', 'returned', 'failed', 'cancelled'],
  switching: ['confirming', 'succeeded', 'returned', 'failed'],
  confirming: ['succeeded', 'returned', 'failed'],
  succeeded: [],
  returned: [],
  failed: [],
  cancelled: [],
};

export function begin(input: AgentUpdateInput): UpdateState {
  const { fromImage, toImage, state = 'requested', revision = 0, message = null, heard = [] } = input;
  return { phase: state, revision, message, fromImage, toImage, heard };
}

/** The input of a run that continues from here. */
export function inputFrom(input: AgentUpdateInput, state: UpdateState): AgentUpdateInput {
  const { updateId, clusterId, organizationId } = input;
  const { phase, revision, message, fromImage, toImage, heard } = state;
  return {
    ...{ updateId, clusterId, organizationId, fromImage, toImage },
    ...{ state: phase, revision, message, heard: [...heard] },
  };
}

export function hear(state: UpdateState, { message, told }: UpdateMessage): UpdateState {
  if (state.heard.includes(told.id)) return state;
  const next = { ...state, heard: [...state.heard, told.id].slice(-remembered) };
  switch (message) {
    case 'hello':
      // The hello of a version tells more than the report of any command.
      if (told.body.image === state.toImage) return enter(next, 'succeeded');
      return isBack(next, told.body.returned) ? enter(next, 'returned', told.body.returned?.reason) : next;
    case 'progress':
      return enter(next, told.body.phase);
    case 'commandFinished':
      return afterCommand(next, told.body);
    case 'cancelled':
      return enter(next, 'cancelled');
  }
}

/** Before the switch, what an agent tells of a return may be of an earlier attempt with another release. */
function isBack({ phase, toImage }: UpdateState, returned: { from: string } | null): boolean {
  if (returned === null) return false;
  return phase === 'switching' || phase === 'confirming' || (returned.from !== '' && toImage.includes(returned.from));
}

function afterCommand(state: UpdateState, { state: end, message }: { state: CommandState; message: string | null }) {
  switch (end) {
    case 'done':
      return state.fromImage === state.toImage ? enter(state, 'succeeded') : enter(state, 'confirming');
    // The agent was interrupted: whichever version comes up says how it went.
    case 'unknown':
      return enter(state, 'confirming');
    case 'failed':
      return enter(state, 'failed', message ?? 'The agent could not do it and did not say why.');
    case 'lost':
      return enter(state, 'failed', 'The agent that had taken the update was replaced by another one.');
    case 'expired':
      return enter(
        state,
        'failed',
        'The agent did not take the update in time; ask for it again when it is in contact.',
      );
    default:
      return enter(state, 'failed', 'The command that carried it out was cancelled.');
  }
}

/** The next phase; one that does not follow is not entered, and a final one is never left. */
export function enter(state: UpdateState, phase: AgentUpdateState, message: string | null = null): UpdateState {
  if (!transitions[state.phase].includes(phase)) return state;
  return { ...state, phase, revision: state.revision + 1, message };
}

export function longest({ phase }: UpdateState): number {
  return agentUpdatePatience[phase];
}

/** Nothing was heard for as long as the phase may last. */
export function giveUp(state: UpdateState): UpdateState {
  if (isAgentUpdateOver(state.phase)) return state;
  const why =
    state.phase === 'requested' || state.phase === 'downloading'
      ? 'The agent did not say in time that it has the new version; look at its log, and ask for the update again.'
      : 'Neither the new version nor the old one has said hello since the agent began to switch; look at its log.';
  return enter(state, 'failed', why);
}
