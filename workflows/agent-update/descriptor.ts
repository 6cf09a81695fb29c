import type { ActorDescriptor } from '../../domain/actors/actor-descriptor.ts';
import { numberOf, optionalTextOf, textOf } from '../../domain/actors/plain-row.ts';
import { agentUpdatePatience, agentUpdateStates, isAgentUpdateOver } from '../../domain/clusters/agent-updates.ts';
import type { AgentUpdateInput } from './messages.ts';
import { agentUpdateWords } from './words.ts';

const seconds = (milliseconds: number): number => milliseconds / 1_000 + 60;
const toBegin = seconds(agentUpdatePatience.requested);
const inAll = seconds(Object.values(agentUpdatePatience).reduce((sum, milliseconds) => sum + milliseconds, 0));

export const agentUpdateDescriptor = {
  kind: 'agent-update',
  workflow: 'agentUpdate',
  table: 'agent_update',
  hint: 'agent_update',
  lives: 'once',
  states: agentUpdateStates,
  final: agentUpdateStates.filter(isAgentUpdateOver),
  gone: 'failed',
  row: {
    name: 'cluster.name',
    subjectId: 'actor.cluster_id',
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
