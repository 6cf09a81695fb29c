/**
 * Changes of an environment that were applied together.
 *
 * Identity: `change-set/<id>`.
 *
 * States: held until its approval is decided; applying while its builds and deployments run, each by an actor of its own.
 *
 * Ends as: applied, when all of its deployments are live or nothing had to run; failed, when one of them
 * failed or an image could not be built; cancelled,
 * rejected or expired by decisions that the row says. Deployments that went live stay live.
 *
 * Cancelling: its deployments are cancelled one by one; the row follows. Cancelling the workflow is an operator's act: the
 * row fails with a message, and the deployments go on.
 */
import { condition, defineQuery, log, proxyActivities, setHandler } from '@temporalio/workflow';
import type { ChangeSetActivities } from '../../activities/change-set.ts';
import type { ChangeSetState } from '../../domain/change-sets/items.ts';
import { actorFrame, type Frame, type Interruption, sentenceOf } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import { showPhase } from '../phase.ts';
import { type ChangeSetInput, changeSetDescriptor } from './descriptor.ts';
import { adopt, asked, begin, type ChangeSetActor, changeSetMessages, hear, inputFrom, isOver } from './state.ts';

export const view = defineQuery<Pick<ChangeSetActor, 'state' | 'revision'>>('view');

const { expireChangeSet, settleChangeSet } = proxyActivities<ChangeSetActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function changeSet(input: ChangeSetInput): Promise<ChangeSetState> {
  const { changeSetId, projectId, organizationId } = input;
  const ref = { changeSetId, projectId, organizationId };
  let actor = begin(input);
  let againMillis = 0;
  const mailbox = new Mailbox(changeSetMessages, input.waiting);
  setHandler(view, () => ({ state: actor.state, revision: actor.revision }));
  return await actorFrame<ChangeSetState, ChangeSetInput>({
    kind: 'change-set',
    rowId: changeSetId,
    organizationId,
    input,
    mailbox,
    now: () => inputFrom(input, actor),
    live,
    fail,
  });

  async function live(frame: Frame): Promise<ChangeSetState> {
    while (!isOver(actor)) {
      listen();
      if (actor.woken) {
        actor = asked(actor);
        actor = adopt(actor, await settleChangeSet(ref));
        showPhase(actor.state);
        continue;
      }
      const inTime = await untilTold(frame);
      if (!inTime) {
        actor = adopt(actor, await expireChangeSet(ref));
        // The database's clock decides: one that is behind is asked again later, not at once.
        againMillis = 60_000;
      }
      await frame.attend();
    }
    return actor.state;
  }

  /** Whether something was told before its approval expires. */
  async function untilTold(frame: Frame): Promise<boolean> {
    const told = () => {
      listen();
      return frame.isDue || actor.woken;
    };
    if (actor.state === 'held' && input.expiresAt !== null)
      return await condition(told, Math.max(againMillis, input.expiresAt - Date.now()));
    await condition(told);
    return true;
  }

  function listen(): void {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) actor = hear(actor, message);
  }

  async function fail(interruption: Interruption): Promise<ChangeSetState> {
    const message =
      interruption.by === 'operator'
        ? 'It was cancelled by an operator; its deployments go on.'
        : sentenceOf(interruption, changeSetDescriptor.interrupted);
    log.error('The change set ends as failed', { message });
    return (await settleChangeSet({ ...ref, failed: message })).state;
  }
}
