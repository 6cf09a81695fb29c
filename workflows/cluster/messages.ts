import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { ClusterState } from '../../domain/clusters/clusters.ts';
import type { Told } from '../message.ts';
import type { ClusterMessage } from './state.ts';

/** What the actor knows of its cluster. A continued run, and one that is started again from its row, begins with it. */
export interface ClusterKnowledge {
  contact: 'never' | 'connected' | 'lost';
  /** Why it is not as it shall be. */
  trouble: string | null;
  /** The update of the agent that is under way. */
  updateId: string | null;
  deleting: boolean;
  revision: number;
  /** The messages that were heard last, so that one that comes twice is heard once. */
  heard: string[];
}

export interface ClusterInput {
  clusterId: string;
  organizationId: string;
  known?: ClusterKnowledge;
  /** What a run before this one had heard and not taken yet. */
  waiting?: ClusterMessage[];
  /** Runs before this one whose histories could not be archived yet. */
  unarchived?: string[];
  /** After so many events of its history it continues as new; fewer in tests. */
  eventsPerRun?: number;
}

/** When it happened, by PostgreSQL's clock, and what people may want to know of it. */
export type Happened = Told<{ at?: string; [detail: string]: unknown }>;

export const enrolled = defineSignal<[Happened]>('enrolled');
export const connected = defineSignal<[Happened]>('connected');
export const lost = defineSignal<[Happened]>('lost');
export const back = defineSignal<[Happened]>('back');
export const revoked = defineSignal<[Happened]>('revoked');
/** Only transitions: `null` when all is as it shall be again. */
export const trouble = defineSignal<[Told<{ text: string | null }>]>('trouble');
/** `ended` says which update is over, so that a late word of it does not end the next one. */
export const updating = defineSignal<[Told<{ updateId: string | null; ended?: string }>]>('updating');
/** It was decided that the cluster goes, or its organization is purged: the row says so already, or is gone. */
export const deleting = defineSignal<[Told]>('deleting');

export interface ClusterActorView extends Omit<ClusterKnowledge, 'heard'> {
  state: ClusterState;
}
export const view = defineQuery<ClusterActorView>('view');
