/**
 * Deletion of an organization, or of a part of one: a service, volume, environment or project.
 *
 * Identity: `deletion/<id of its row>`, the deletion's own row, not that of what is deleted: a thing that is deleted,
 * restored and deleted again has two of them.
 *
 * States: retained until its time has passed or somebody asks for the purge now; purging from the claim on, which the
 * row decides; then purged. It may be restored while it is retained, which ends the actor. The purge of a part waits,
 * however long that lasts, until its deployments have ended and agents have deleted its data.
 *
 * Ends as: purged, restored, or failed with a message.
 *
 * Cancelling it is an operator's act, not offered to users: the row fails with a message. Before the purge began the
 * thing stays deleted and may still be restored or deleted for good; afterwards it can only be deleted for good.
 */
import {
  ActivityCancellationType,
  condition,
  defineQuery,
  log,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { DeletionActivities } from '../../activities/deletion.ts';
import { shownKind } from '../../domain/deletions/kinds.ts';
import { actorFrame, type Frame, type Interruption } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import { showPhase } from '../phase.ts';
import { type DeletionInput, type DeletionState, deletionDescriptor, isDeletionOver } from './descriptor.ts';
import {
  begin,
  type DeletionView,
  deletionMessages,
  enter,
  hear,
  inputFrom,
  postpone,
  remaining,
  viewOf,
  wait,
} from './state.ts';

export const view = defineQuery<DeletionView>('view');

const patience = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

const { claimPurge, finishDeletion } = proxyActivities<DeletionActivities>({
  startToCloseTimeout: '10s',
  retry: patience,
  // A claim that is under way when we are cancelled still counts: we wait to learn what it wrote.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

const { purgeOrganization, purgeThing } = proxyActivities<DeletionActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '30s',
  retry: patience,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

export async function deletion(input: DeletionInput): Promise<DeletionState> {
  const { deletionId, organizationId } = input;
  let state = begin(input);
  const mailbox = new Mailbox(deletionMessages, input.waiting);
  setHandler(view, () => viewOf(state));
  return await actorFrame<DeletionState, DeletionInput>({
    kind: 'deletion',
    rowId: deletionId,
    organizationId,
    input,
    mailbox,
    now: () => inputFrom(input, state),
    live,
    fail,
  });

  async function live(frame: Frame): Promise<DeletionState> {
    while (state.phase === 'retained') {
      const over = await retention(frame);
      if (over && state.phase === 'retained') await claim(frame);
    }
    if (state.phase === 'purging') await purge(frame);
    showPhase(state.phase);
    return state.phase;
  }

  /** Until its time has passed or somebody has decided; `false`: there was something else to attend to. */
  async function retention(frame: Frame): Promise<boolean> {
    listen();
    const milliseconds = remaining(state, Date.now());
    const passed =
      milliseconds === 0 ||
      !(await condition(() => {
        listen();
        return frame.isDue || remaining(state, Date.now()) === 0;
      }, milliseconds));
    await frame.attend();
    return passed || remaining(state, Date.now()) === 0;
  }

  function listen(): void {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) state = hear(state, message);
  }

  /** The row decides: a restoration that was committed before our claim wins. */
  async function claim(frame: Frame): Promise<void> {
    const purging = enter(state, 'purging');
    const row = await claimPurge({ deletionId, organizationId, revision: purging.revision });
    listen();
    if (row.answer === 'ahead') return await frame.obey(row.row);
    if (row.answer === 'early') state = postpone(state, Date.now() + row.milliseconds);
    else state = enter(state, row.answer === 'claimed' ? 'purging' : row.state);
    showPhase(state.phase);
  }

  async function purge(frame: Frame): Promise<void> {
    const { deletedRows } =
      input.thing === undefined ? await purgeOrganization({ deletionId, organizationId }) : await purgePart(frame);
    const { revision } = enter(state, 'purged');
    const row = await finishDeletion({ deletionId, organizationId, revision, state: 'purged' });
    await frame.obey(row);
    state = enter({ ...state, deletedRows }, row.state);
  }

  /** Asked again when an agent has told something, and less and less often by itself. */
  async function purgePart(frame: Frame): Promise<{ deletedRows: number }> {
    for (let fired = false; ; ) {
      state = { ...state, stirred: false };
      const { deletedRows, waits } = await purgeThing({ deletionId, organizationId });
      if (waits === undefined) return { deletedRows };
      state = wait(state, { waits, fired });
      const told = await condition(() => {
        listen();
        return frame.isDue || state.stirred;
      }, state.pause);
      fired = !told;
      await frame.attend();
    }
  }

  async function fail(interruption: Interruption): Promise<DeletionState> {
    const message = sentence(interruption, state.phase, input.thing);
    log.error('The deletion ends as failed', { message });
    const { revision } = enter(state, 'failed');
    const row = await finishDeletion({ deletionId, organizationId, revision, state: 'failed', message });
    state = isDeletionOver(row.state) ? enter(state, row.state) : enter(state, 'failed');
    showPhase(state.phase);
    return state.phase;
  }
}

function sentence({ by, why }: Interruption, phase: DeletionState, kind?: DeletionInput['thing']): string {
  const thing = kind === undefined ? 'organization' : shownKind(kind);
  if (by === 'failure') return `The deletion failed: ${why}`;
  if (by === 'lost run') return deletionDescriptor.interrupted(why);
  return phase === 'purging'
    ? `The purge was cancelled half way; the ${thing} cannot be restored, delete it for good.`
    : `The deletion was cancelled; the ${thing} stays deleted, restore it or delete it for good.`;
}
