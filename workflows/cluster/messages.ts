import { defineQuery } from '@temporalio/workflow';
import type { ActorInput } from '../../domain/actors/actor-descriptor.ts';
import type { ClusterState } from '../../domain/clusters/clusters.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields, nullable, text } from '../parse.ts';

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

/** When it happened, by PostgreSQL's clock, beside whatever else people may want to know of it. */
const happened = fields({}, { at: text });

export const clusterMessages = {
  enrolled: happened,
  connected: happened,
  lost: happened,
  back: happened,
  revoked: happened,
  /** Only transitions: `null` when the cluster is healthy again. */
  trouble: fields({ text: nullable(text) }),
  /** `ended` says which update is over, so that a late word of it does not end the next one. */
  updating: fields({ updateId: nullable(text) }, { ended: text }),
  /** The cluster is to be deleted, or its organization is purged: the row says so already, or is gone. */
  deleting: fields({}),
} satisfies Messages;
export type ClusterMessage = MessageOf<typeof clusterMessages>;

export interface ClusterActorView extends Omit<ClusterKnowledge, 'heard'> {
  state: ClusterState;
}
export const view = defineQuery<ClusterActorView>('view');
