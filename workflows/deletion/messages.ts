import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Told } from '../message.ts';

/** What the actor is started with; all of it stands in its row, so that a lost actor can be started again. */
export interface DeletionInput {
  deletionId: string;
  organizationId: string;
  /** Until when the owner may restore the organization: a time as ISO 8601. */
  restoreUntil: string;
}

export type DeletionPhase = 'retained' | 'purging' | 'purged' | 'restored' | 'failed';

/** What the `view` query answers. */
export interface DeletionView {
  phase: DeletionPhase;
  restoreUntil: string;
  /** Rows deleted so far. */
  deletedRows: number;
}

/** The owner has restored the organization: the row says so already. */
export const restored = defineSignal<[Told]>('restored');

/** The owner does not want to wait: the row's `restore_until` has been set to now. */
export const purgeNow = defineSignal<[Told]>('purgeNow');

export const view = defineQuery<DeletionView>('view');
