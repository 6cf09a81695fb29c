import { defineQuery } from '@temporalio/workflow';
import type { ActorInput } from '../../domain/actors/actor-descriptor.ts';
import type { DeletionState } from '../../domain/deletions/deletions.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields } from '../parse.ts';

/** All of it stands in the deletion's row, so that a lost actor can be started again. */
export interface DeletionInput extends ActorInput {
  deletionId: string;
  organizationId: string;
  state?: DeletionState;
  /** Until when the owner may restore the organization: a time as ISO 8601. */
  restoreUntil: string;
  purgeRequested?: boolean;
}

export const deletionMessages = {
  /** The owner has restored the organization: the row says so already. */
  restored: fields({}),
  /** The owner does not want to wait: the row's `restore_until` has been set to now. */
  purgeNow: fields({}),
} satisfies Messages;
export type DeletionMessage = MessageOf<typeof deletionMessages>;

export interface DeletionView {
  phase: DeletionState;
  restoreUntil: string;
  /** Rows deleted so far. */
  deletedRows: number;
}
export const view = defineQuery<DeletionView>('view');
