import { z } from 'zod';
import { findActor } from '../../db/workflows/actors.ts';
import { stepKinds, stepOutcomes } from '../../domain/history-steps/step.ts';
import { actorKinds } from '../../workflows/descriptors.ts';
import { resource } from '../engine/resource.ts';

export const theActor = resource('workflow', findActor);

/** Fields that every actor has, whatever its kind. */
const fields = {
  id: z.guid().describe('The id of its row.'),
  kind: z.enum(actorKinds),
  actorId: z.string().describe('Its name in histories, logs and Temporal: `cluster/<id>`.'),
  name: z.string().describe('What it is about: the name of the cluster or of the organization.'),
  subjectId: z.guid().describe('The id of that cluster or organization.'),
  state: z.string().describe('The state that its row says, in the words of its kind.'),
  open: z.boolean().describe('Whether it still goes on.'),
  stuck: z
    .boolean()
    .describe(
      'It goes on and does not move: it says so itself in `blocker`, what it is to be told has not been delivered for a minute, or an update of an agent takes longer than its deadlines allow.',
    ),
  blocker: z.string().describe('Why it cannot go on; empty if nothing is known to keep it.'),
  message: z.string().describe('Why it is in its state; empty if there is nothing to say.'),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().optional().describe('Absent while it goes on.'),
};

export const workflowSchema = z.object(fields).meta({ id: 'Workflow' });

export const pendingSchema = z
  .object({
    what: z.string().describe('What it waits for, in words.'),
    attempt: z.int().describe('How often it is being tried; 1 at first.'),
    lastFailure: z.string().describe('Why the last attempt failed; empty if none did.'),
    nextAttemptAt: z.iso
      .datetime()
      .optional()
      .describe('When it is tried again; of a wait, until when it waits at most. Absent: it is being done now.'),
    since: z.iso.datetime(),
  })
  .meta({ id: 'WorkflowPending' });

export const workflowDetailSchema = z
  .object({
    ...fields,
    runs: z.int().optional().describe('How many runs are known; an actor that lives long goes on in another run.'),
    pending: z.array(pendingSchema).describe('What it waits for at this moment.'),
    historySource: z.enum(['live', 'archive']).describe('Where its last run is read from.'),
    waitingFor: z.string().describe('What it waits for now, in a sentence; empty if it is over or it is not known.'),
  })
  .meta({ id: 'WorkflowDetail' });

const eventSchema = z
  .object({
    id: z.int().describe('The number of the event in its run.'),
    type: z.string(),
    at: z.iso.datetime(),
    attributes: z.record(z.string(), z.unknown()).describe('Decoded. Secrets are `hidden`; more than 16 kB is cut.'),
  })
  .meta({ id: 'HistoryEvent' });

export const historyStepSchema = z
  .object({
    id: z.string().describe('Unique in the actor: `<run>-<number of the first event>`.'),
    run: z.int().describe('The run that it belongs to; 1 is the first that is known.'),
    kind: z
      .enum(stepKinds)
      .describe(
        [
          '`started`: it began.',
          '`decided`: a person decided something about it.',
          '`heard`: it was told what had happened.',
          '`asked`: it asked somebody for something.',
          '`did`: it did something itself.',
          '`waited`: it waited for something, or for a time.',
          '`continued`: it went on in a new run with a new history.',
          '`ended`: it is over.',
          '`other`: what none of these describes, and defects.',
        ].join(' '),
      ),
    title: z.string().describe('What happened, in words.'),
    detail: z.string().describe('The facts: from what to what, a message. Empty if there are none.'),
    attempts: z.int().describe('How often it was tried.'),
    failure: z.string().describe('Why the last attempt failed; empty if none did.'),
    outcome: z
      .enum(stepOutcomes)
      .describe('`waiting`: not over yet. `timed-out`: what it waited for did not come in time, or it took too long.'),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional().describe('Absent while it is not over.'),
    durationMs: z.int().optional(),
    events: z.array(eventSchema).optional().describe('Only with `raw=true`: the events that the step is made of.'),
  })
  .meta({ id: 'HistoryStep' });

export const workflowPath = z.strictObject({ id: z.guid().toLowerCase() });
