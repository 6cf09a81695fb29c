import type { ActorDescriptor, ActorInput, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import { numberOf, optionalTextOf, textOf } from '../../domain/actors/actors.ts';
import { agentUpdateWords } from './words.ts';

/**
 * The states of an agent's update: requested, then sent to the agent; downloading and switching as the agent tells;
 * confirming until the new version says hello; then succeeded, returned (the old version came back by itself), failed or
 * cancelled.
 */
export const agentUpdateStates = [
  'requested',
  'downloading',
  'switching',
  'confirming',
  'succeeded',
  'returned',
  'failed',
  'cancelled',
] as const;
export type AgentUpdateState = (typeof agentUpdateStates)[number];

const final = ['succeeded', 'returned', 'failed', 'cancelled'] as const satisfies readonly AgentUpdateState[];

export function isAgentUpdateOver(state: AgentUpdateState): boolean {
  return final.some((one) => one === state);
}

/** So long has the new version to say hello; then the agent goes back to the old one by itself. */
export const confirmSeconds = 120;

const minute = 60_000;

/** How long each phase may last, in milliseconds: nothing is waited for without an end. */
export const agentUpdatePatience: Readonly<Record<AgentUpdateState, number>> = {
  requested: 15 * minute,
  downloading: 30 * minute,
  switching: (confirmSeconds + 60) * 1_000,
  confirming: (confirmSeconds + 60) * 1_000,
  succeeded: 0,
  returned: 0,
  failed: 0,
  cancelled: 0,
};

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

const seconds = (milliseconds: number): number => milliseconds / 1_000 + 60;
const toBegin = seconds(agentUpdatePatience.requested);
const inAll = seconds(Object.values(agentUpdatePatience).reduce((sum, milliseconds) => sum + milliseconds, 0));

export const agentUpdateDescriptor = {
  kind: 'agent-update',
  workflow: 'agentUpdate',
  table: 'agent_update',
  belongsTo: 'cluster',
  hint: 'agent_update',
  lives: 'once',
  states: agentUpdateStates,
  final,
  ends: { succeeded: 'succeeded', returned: 'failed', failed: 'failed', cancelled: 'cancelled' } satisfies Record<
    (typeof final)[number],
    WorkflowEnd
  >,
  stages: [
    { name: 'request', title: 'Request', states: ['requested'] },
    { name: 'download', title: 'Download', states: ['downloading'] },
    { name: 'switch', title: 'Switch', states: ['switching', 'confirming'] },
  ],
  // As the agent of a cluster.
  readBy: { role: 'viewer', projectTokens: false },
  gone: 'failed',
  row: {
    name: 'cluster.name',
    requested: true,
    release: 'actor.to_image',
    join: 'join cluster on cluster.organization_id = actor.organization_id and cluster.id = actor.cluster_id',
    overdue: `actor.created_at <
      now() - make_interval(secs => case actor.state when 'requested' then ${toBegin} else ${inAll} end)`,
  },
  input: {
    from: (row): AgentUpdateInput => ({
      updateId: textOf(row.id),
      clusterId: textOf(row.cluster_id),
      organizationId: textOf(row.organization_id),
      fromImage: textOf(row.from_image),
      toImage: textOf(row.to_image),
      state: agentUpdateStates.find((state) => state === row.state) ?? 'requested',
      revision: numberOf(row.revision),
      message: optionalTextOf(row.message),
    }),
  },
  interrupted: (how) => `The workflow of this update ${how} before it finished; request the update again.`,
  purge: { keeps: [] },
  activities: ['beginAgentUpdate', 'showAgentUpdate'],
  readByRequester: false,
  words: agentUpdateWords,
} as const satisfies ActorDescriptor;
