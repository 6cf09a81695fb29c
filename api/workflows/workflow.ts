import { z } from 'zod';
import { authorKinds } from '../../db/engine/author.ts';
import { findActor, type RequestedActor } from '../../db/workflows/actors.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { stageOutcomes } from '../../domain/history-steps/stages.ts';
import { stepKinds, stepOutcomes, tones } from '../../domain/history-steps/step.ts';
import { stateWords } from '../../domain/history-steps/words.ts';
import { Problem } from '../../domain/problems.ts';
import { mayActAs } from '../../domain/roles.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';
import { type ActorKind, actorKinds, descriptors } from '../../workflows/descriptors.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { resource } from '../engine/resource.ts';

/** The kinds of workflows that the caller may read; others do not exist for it. */
export function readableKinds(caller: Pick<OrganizationCaller, 'role' | 'isLimitedToProjects'>): ActorKind[] {
  return actorKinds.filter((kind) => {
    const { role, projectTokens } = descriptors[kind].readBy;
    return mayActAs(caller.role, role) && (projectTokens || !caller.isLimitedToProjects);
  });
}

/** The workflow of that id, if it is the organization's and of a kind that the caller may read. */
export async function actorOf(caller: OrganizationCaller, id: string): Promise<RequestedActor> {
  const kinds = readableKinds(caller);
  const readable = resource('workflow', (kysely, organizationId, of) => findActor(kysely, organizationId, of, kinds));
  return await caller.see(readable, id);
}

const toneSchema = z
  .enum(tones)
  .describe('The meaning of its colour: `fault` and `attention` ask for a look, `live` is in progress.');

/** Fields that every actor has, whatever its kind. */
const fields = {
  id: z.guid().describe('Its id.'),
  kind: z.enum(actorKinds),
  actorId: z.string().describe('Its name in histories, logs and Temporal: `cluster/<id>`.'),
  title: z.string().describe('What it is, in words: `Agent update: Frankfurt`.'),
  name: z.string().describe('The name of the cluster or organization that it is about.'),
  subjectKind: z.string().describe('What it is about: `cluster`, `organization`.'),
  subjectId: z.guid().describe('The id of that cluster or organization.'),
  release: z.string().optional().describe('The release that it is about. Absent where its kind has none.'),
  lives: z
    .enum(['once', 'for-ever'])
    .describe('`once`: it runs to its end. `for-ever`: it lives as long as its subject.'),
  state: z.string().describe('Its state, as its kind names it.'),
  stateTitle: z.string().describe('That state in words.'),
  tone: toneSchema,
  outcome: z
    .enum(['running', 'succeeded', 'failed', 'cancelled'])
    .describe('How it ended, whatever its state is called; `running` until then.'),
  requestedBy: z
    .object({
      kind: z.enum(authorKinds),
      id: z.string(),
      name: z.string(),
      auditRecordId: z
        .guid()
        .optional()
        .describe('The record of the audit log, which administrators read. Absent where the workflow itself has none.'),
      requestId: z.string().optional().describe('Absent where no request of the API started it.'),
    })
    .optional()
    .describe('The person, the token or the part of Ballast that started it. Absent if no record of that is kept.'),
  open: z.boolean().describe('Whether it is running.'),
  stuck: z
    .boolean()
    .describe(
      'Running without progress: its row names a `blocker`, its messages have not been delivered for a minute, or an update of an agent takes longer than its deadlines allow.',
    ),
  blocker: z
    .string()
    .describe(
      'Why it makes no progress, or the part of Ballast that is down while it waits for it; empty if nothing is known to block it.',
    ),
  message: z.string().describe('The reason for its state; may be empty.'),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().optional().describe('Absent while it is running.'),
};

export const workflowSchema = z.object(fields).meta({ id: 'Workflow' });

export const pendingSchema = z
  .object({
    what: z.string().describe('What it waits for, in words.'),
    attempt: z.int().describe('The number of the attempt; the first is 1.'),
    lastFailure: z.string().describe('Why the last attempt failed; empty if none did.'),
    nextAttemptAt: z.iso
      .datetime()
      .optional()
      .describe('The time of the next attempt, or the latest end of a wait. Absent while an attempt is running.'),
    since: z.iso.datetime(),
  })
  .meta({ id: 'WorkflowPending' });

export const stageSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    outcome: z.enum(stageOutcomes).describe('`waiting`: not begun. `skipped`: it ended, or went on, without it.'),
    tone: toneSchema,
    startedAt: z.iso
      .datetime()
      .optional()
      .describe('Absent if it has not begun, or began before the steps that are known.'),
    finishedAt: z.iso.datetime().optional().describe('Absent while it has not finished.'),
    durationMs: z.int().optional(),
  })
  .meta({ id: 'WorkflowStage' });

export const workflowDetailSchema = z
  .object({
    ...fields,
    about: z.string().describe('Its purpose in a sentence; empty while its history cannot be read.'),
    stages: z
      .array(stageSchema)
      .describe(
        'The stages of its way, in order; of a long-lived one the states that it was in lately. Empty while its history cannot be read.',
      ),
    runs: z.int().optional().describe('How many runs are known; a long workflow continues in new runs.'),
    pending: z.array(pendingSchema).describe('The steps that it is waiting for now.'),
    historySource: z.enum(['live', 'archive']).describe('Where its last run is read from.'),
    waitingFor: z
      .string()
      .describe('What it is waiting for now, in a sentence; empty if it has finished or nothing is known.'),
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
    id: z.string().describe('Unique in the workflow: `<run>-<number of the first event>`.'),
    run: z.int().describe('The run that it belongs to; 1 is the first that is known.'),
    kind: z
      .enum(stepKinds)
      .describe(
        [
          '`started`: it started.',
          '`decided`: a person decided something about it.',
          '`heard`: it received a message.',
          '`asked`: it requested something.',
          '`did`: it did something itself.',
          '`waited`: it waited for something, or for a time.',
          '`continued`: it continued in a new run with a new history.',
          '`ended`: it finished.',
          '`other`: anything else, defects included.',
        ].join(' '),
      ),
    title: z.string().describe('What happened, in words.'),
    detail: z.string().describe('The facts: from what to what, a message. Empty if there are none.'),
    attempts: z.int().describe('The number of attempts.'),
    failure: z.string().describe('Why the last attempt failed; empty if none did.'),
    outcome: z
      .enum(stepOutcomes)
      .describe(
        '`waiting`: not finished. `retried`: done, after attempts that failed. `failed`: it failed, or it tells of a failure. `timed-out`: the step took too long, or what it waited for did not come in time.',
      ),
    tone: toneSchema,
    state: z.string().optional().describe('The state that was entered with it.'),
    stateTitle: z.string().optional().describe('That state in words.'),
    startedAt: z.iso.datetime(),
    sinceStartMs: z.int().describe('How long after the start of the workflow it started.'),
    finishedAt: z.iso.datetime().optional().describe('Absent while it has not finished.'),
    durationMs: z.int().optional(),
    events: z.array(eventSchema).optional().describe('Only with `raw=true`: the events of the step.'),
  })
  .meta({ id: 'HistoryStep' });

const delays = {
  undelivered:
    'Its messages have not been delivered for more than a minute; see whether Temporal answers (/readyz), and the log of the workers.',
  overdue: 'It should have gone on by now; see whether a worker runs (/readyz), and the log of the workers.',
} as const;

export function presentWorkflow(actor: RequestedActor): AnswerOf<typeof workflowSchema> {
  const { id, kind, name, state, delay, blocker, message, finishedAt } = actor;
  const { words, lives, ends, row, belongsTo } = descriptors[kind];
  const { word, tone } = stateWords(words, state);
  const open = finishedAt === null;
  return {
    ...actor,
    actorId: actorId(kind, id),
    title: words.title(name),
    subjectKind: row.subjectId === 'actor.id' ? kind : (belongsTo ?? 'organization'),
    lives,
    stateTitle: word,
    tone,
    outcome: open ? 'running' : (ends[state] ?? 'failed'),
    requestedBy: requestOf(actor),
    open,
    blocker: open ? (blocker ?? (delay === null ? '' : delays[delay])) : '',
    message: message ?? '',
  };
}

function requestOf(actor: RequestedActor): AnswerOf<typeof fields.requestedBy> {
  const { requestKind: kind, requestBy: id, requestName } = actor;
  return kind === null || id === null ? null : { ...actor, kind, id, name: requestName ?? '' };
}

/** Asks Temporal; while it is away the answer is 503. */
export async function reached<T>(asking: () => Promise<T>): Promise<T> {
  try {
    return await asking();
  } catch (error) {
    if (!isAway(error)) throw error;
    throw new Problem(
      'unavailable',
      'The history of a running workflow is in Temporal, which cannot be reached; try again in a moment.',
      { retryAfterSeconds: 5 },
    );
  }
}

/** Nobody answers at Temporal's address, or not in time. */
export function isAway(error: unknown): boolean {
  return hasStatus(error, 'unavailable', 'deadlineExceeded');
}
