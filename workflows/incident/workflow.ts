/**
 * Something that is wrong, told to one pager.
 *
 * Identity: `incident/<id of its row>`, from which the pager's `dedup_key` derives: the same in each attempt of trigger and
 * resolve.
 *
 * States: triggering until the pager has the trigger; open while the thing is wrong; resolving until the pager has the resolve.
 * A thing that is well again while the trigger is retried is resolved after that has arrived, so the pager never sees a trigger
 * after a resolve. What is wrong after that is another incident.
 *
 * Ends as: resolved; failed after 24 attempts, or at once where the pager refuses it for good; dropped when its channel is
 * deleted, or disabled while something is on its way.
 *
 * Cancelling it is an operator's act, not offered to users: the row fails with a message.
 */

import { defineQuery, log, proxyActivities, setHandler } from '@temporalio/workflow';
import type { IncidentActivities } from '../../activities/incident.ts';
import type { AttemptSays } from '../../domain/actors/actors.ts';
import { attemptByAttempt } from '../attempt-by-attempt.ts';
import { beginAttempt, inputOf } from '../attempts.ts';
import { actorFrame, type Frame, type Interruption, sentenceOf } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import { type IncidentInput, type IncidentState, incidentDescriptor, isIncidentOver } from './descriptor.ts';
import { adopt, begin, hear, type IncidentActor, incidentMessages } from './state.ts';

export const view = defineQuery<IncidentActor>('view');

const { attemptIncident, failIncident } = proxyActivities<IncidentActivities>({
  // An attempt may take ten of them.
  startToCloseTimeout: '25s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function incident(input: IncidentInput): Promise<IncidentState> {
  const { incidentId, organizationId } = input;
  const ref = { incidentId, organizationId };
  const mailbox = new Mailbox(incidentMessages, input.waiting);
  let actor = begin(input);
  setHandler(view, () => now());
  return await actorFrame<IncidentState, IncidentInput>({
    kind: 'incident',
    rowId: incidentId,
    organizationId,
    input,
    mailbox,
    now: () => ({ ...ref, ...inputOf(actor) }),
    live: (frame: Frame) => attemptByAttempt(frame, { now, attempt, isOver: isIncidentOver }),
    fail,
  });

  function now(): IncidentActor {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) actor = hear(actor, message);
    return actor;
  }

  async function attempt(): Promise<AttemptSays<IncidentState>> {
    actor = beginAttempt(now());
    const says = await attemptIncident({ ...ref, revision: actor.revision });
    actor = adopt(now(), says, Date.now());
    return says;
  }

  async function fail(interruption: Interruption): Promise<IncidentState> {
    const message = sentenceOf(interruption, incidentDescriptor.interrupted);
    log.error('The incident ends as failed', { message });
    return (await failIncident({ ...ref, message })).state;
  }
}
