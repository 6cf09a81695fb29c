/**
 * Deletion of an organization.
 *
 * Identity: `deletion/<id of its row>`, the deletion's own row, not the organization's: an organization that is deleted,
 * restored and deleted again has two of them.
 *
 * States: retained until its time has passed or its owner asks for the purge now; purging from the claim on, which the
 * row decides; then purged. The owner may restore the organization while it is retained, which ends the actor.
 *
 * What ends it: purged, restored, or failed with a message.
 *
 * Cancelling it is an operator's act, not offered to users: the row fails with a message. Before the purge began the
 * organization stays deleted and may still be restored or deleted for good; afterwards it can only be deleted for good.
 */
import {
  ActivityCancellationType,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { DeletionActivities } from '../../activities/deletion.ts';
import { showPhase } from '../phase.ts';
import { type DeletionInput, type DeletionPhase, purgeNow, restored, view } from './messages.ts';
import { begin, enter, hear, postpone, remaining, viewOf } from './state.ts';

const patience = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

const { claimPurge, finishDeletion } = proxyActivities<DeletionActivities>({
  startToCloseTimeout: '10s',
  retry: patience,
  // A claim that is under way when we are cancelled still counts: we wait to learn what it wrote.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

const { purgeOrganization } = proxyActivities<DeletionActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '30s',
  retry: patience,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

export async function deletion(input: DeletionInput): Promise<DeletionPhase> {
  const { deletionId, organizationId } = input;
  let state = begin(input);

  setHandler(view, () => viewOf(state));
  setHandler(restored, (told) => {
    state = hear(state, { message: 'restored', told });
  });
  setHandler(purgeNow, (told) => {
    state = hear(state, { message: 'purgeNow', told });
  });

  try {
    while (state.phase === 'retained') {
      await retention();
      if (state.phase === 'retained') await claim();
    }
    if (state.phase === 'purging') await purge();
  } catch (error) {
    await CancellationScope.nonCancellable(async () => {
      await fail(error);
      await condition(allHandlersFinished);
    });
    throw isCancellation(error) ? error : ApplicationFailure.fromError(error, { nonRetryable: true });
  }
  showPhase(state.phase);
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  return state.phase;

  async function retention(): Promise<void> {
    const milliseconds = remaining(state, Date.now());
    if (milliseconds > 0) await condition(() => remaining(state, Date.now()) === 0, milliseconds);
  }

  /** The row decides: a restoration that was committed before our claim wins. */
  async function claim(): Promise<void> {
    const purging = enter(state, 'purging');
    const row = await claimPurge({ deletionId, organizationId, revision: purging.revision });
    if (row.answer === 'early') state = postpone(state, Date.now() + row.milliseconds);
    else state = enter(state, row.answer === 'claimed' ? 'purging' : row.state);
    showPhase(state.phase);
  }

  async function purge(): Promise<void> {
    const { deletedRows } = await purgeOrganization({ deletionId, organizationId });
    const { revision } = enter(state, 'purged');
    const row = await finishDeletion({ deletionId, organizationId, revision, state: 'purged' });
    state = enter({ ...state, deletedRows }, row.state);
  }

  async function fail(error: unknown): Promise<void> {
    const message = isCancellation(error) ? cancelled(state.phase) : `The deletion failed: ${reason(error)}`;
    log.error('The deletion ends as failed', { message });
    const { revision } = enter(state, 'failed');
    const row = await finishDeletion({ deletionId, organizationId, revision, state: 'failed', message });
    state = enter(state, row.state);
    showPhase(state.phase);
  }
}

function cancelled(phase: DeletionPhase): string {
  return phase === 'purging'
    ? 'The purge was cancelled half way; the organization cannot be restored, delete it for good.'
    : 'The deletion was cancelled; the organization stays deleted, restore it or delete it for good.';
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
