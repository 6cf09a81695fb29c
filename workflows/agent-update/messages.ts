import { defineQuery } from '@temporalio/workflow';
import type { ActorInput } from '../../domain/actors/actor-descriptor.ts';
import type { AgentUpdateState } from '../../domain/clusters/agent-updates.ts';
import { commandStates } from '../../domain/clusters/commands.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields, nullable, oneOf, text } from '../parse.ts';

/** All of it stands in the update's row. */
export interface AgentUpdateInput extends ActorInput {
  updateId: string;
  clusterId: string;
  organizationId: string;
  fromImage: string;
  toImage: string;
  state?: AgentUpdateState;
  message?: string | null;
}

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

export interface AgentUpdateActorView {
  phase: AgentUpdateState;
  revision: number;
  message: string | null;
}
export const view = defineQuery<AgentUpdateActorView>('view');
