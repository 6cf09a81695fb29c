import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { AgentUpdateState } from '../../domain/clusters/agent-updates.ts';
import type { CommandState } from '../../domain/clusters/commands.ts';
import type { Told } from '../message.ts';

/** All of it stands in the update's row. */
export interface AgentUpdateInput {
  updateId: string;
  clusterId: string;
  organizationId: string;
  fromImage: string;
  toImage: string;
}

/** An agent has said hello. `returned`: it is the one from before an update that was tried. */
export const hello =
  defineSignal<[Told<{ image: string; version: string; returned: { from: string; reason: string } | null }>]>('hello');
/** What the agent does, as it tells. */
export const progress = defineSignal<[Told<{ phase: 'downloading' | 'switching' }>]>('progress');
export const commandFinished =
  defineSignal<[Told<{ commandId: string; state: CommandState; message: string | null }>]>('commandFinished');
/** Somebody has cancelled it: the row says so already. */
export const cancelled = defineSignal<[Told]>('cancelled');

export interface AgentUpdateActorView {
  phase: AgentUpdateState;
  revision: number;
  message: string | null;
}
export const view = defineQuery<AgentUpdateActorView>('view');
