import type { ActorDescriptor, ActorInput } from '../../domain/actors/actor-descriptor.ts';
import { numberOf, optionalTextOf, textOf } from '../../domain/actors/actors.ts';
import { type ClusterState, clusterStates } from '../../domain/clusters/clusters.ts';
import { clusterWords } from './words.ts';

/** The facts that the actor knows of its cluster. A continued run, and one started again from its row, begins with them. */
export interface ClusterKnowledge {
  contact: 'never' | 'connected' | 'lost';
  /** Why it is degraded. */
  trouble: string | null;
  /** The agent update in progress. */
  updateId: string | null;
  deleting: boolean;
  revision: number;
  /** The messages that were heard last, so that one that comes twice is heard once. */
  heard: string[];
}

export interface ClusterInput extends ActorInput {
  clusterId: string;
  organizationId: string;
  state?: ClusterState;
  known?: ClusterKnowledge;
}

const contacts = ['never', 'connected', 'lost'] as const;

export const clusterDescriptor = {
  kind: 'cluster',
  workflow: 'cluster',
  table: 'cluster',
  belongsTo: 'organization',
  hint: 'cluster',
  lives: 'for-ever',
  states: clusterStates,
  final: ['deleted', 'failed'],
  ends: { deleted: 'succeeded', failed: 'failed' },
  stages: [],
  readBy: { role: 'viewer', projectTokens: true },
  gone: 'deleted',
  row: {
    name: 'actor.name',
    subjectId: 'actor.id',
    overdue: "coalesce(actor.deletion_requested_at < now() - interval '1 minute', false)",
    unheard: {
      join: `join cluster_agent as agent on agent.cluster_id = actor.id
        left join agent_update as open on open.cluster_id = actor.id and open.finished_at is null`,
      // As clusterState of domain/clusters/clusters.ts.
      where: `actor.deletion_requested_at is not null
        or actor.state <> case
          when agent.contact = 'never' then 'awaiting-agent' when agent.contact = 'lost' then 'lost'
          when open.id is not null then 'updating' when agent.told_trouble is not null then 'degraded'
          else 'ready' end`,
    },
  },
  input: {
    columns: 'agent.contact, agent.told_trouble, open.id as update_id',
    join: `left join cluster_agent as agent on agent.cluster_id = actor.id
      left join agent_update as open on open.cluster_id = actor.id and open.finished_at is null`,
    from(row): ClusterInput {
      const revision = numberOf(row.revision);
      return {
        clusterId: textOf(row.id),
        organizationId: textOf(row.organization_id),
        state: clusterStates.find((state) => state === row.state) ?? 'awaiting-agent',
        revision,
        known: {
          contact: contacts.find((contact) => contact === row.contact) ?? 'never',
          trouble: optionalTextOf(row.told_trouble),
          updateId: optionalTextOf(row.update_id),
          deleting: row.deletion_requested_at !== null,
          revision,
          heard: [],
        },
      };
    },
  },
  // The rows that it stands for go, and it would live on without them.
  purge: { tell: 'deleting', keeps: ['outbox'] },
  activities: ['showCluster', 'deleteCluster'],
  readByRequester: false,
  words: clusterWords,
} as const satisfies ActorDescriptor;
