import { z } from 'zod';
import { UnreadablePage } from '../../db/engine/archive/history-archive.ts';
import { type ActorView, listActors } from '../../db/workflows/actors.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { moment } from '../../domain/history-steps/in-words.ts';
import { type Stage, stagesOf } from '../../domain/history-steps/stages.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { Problem } from '../../domain/problems.ts';
import type { ActorHistory } from '../../temporal/history/actor-history.ts';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { courseOf, durationOf, historyOf, historyPage, historyPosition, historyQuery } from './history-page.ts';
import {
  actorOf,
  historyStepSchema,
  isAway,
  type pendingSchema,
  presentWorkflow,
  reached,
  readableKinds,
  type stageSchema,
  workflowDetailSchema,
  workflowSchema,
} from './workflow.ts';

const exportHistory = operation({
  // Recorded, and a GET has no effect.
  method: 'POST',
  url: '/api/v1/workflows/{id}/export',
  summary: 'Export the history of a workflow as a file that replays',
  description:
    "One run as Temporal's tools and the SDK's replayer take it, decoded. A payload with a field whose name speaks of a secret stays sealed, as it is in the archive. Each export is recorded in the audit log.",
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'unavailable', 'conflict'],
  query: z.strictObject({
    run: z.int().min(1).optional().describe('The number of the run; the last one by default.'),
  }),
  result: z.object({ events: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'TemporalHistory' }),
  document: true,
  ownEffect: true,
  async handle({ caller, path, query, once, server }) {
    const actor = await actorOf(caller, path.id);
    const history = historyOf(server, actor);
    const run = query.run ?? (await reached(() => history.count()));
    const exported = await reached(() => history.exported(run)).catch((error: unknown) => {
      if (!(error instanceof UnreadablePage)) throw error;
      throw new Problem('conflict', `A part of this run cannot be read, so it does not replay: ${error.message}`);
    });
    if (exported === undefined) throw new Problem('not-found', 'There is no such run of this workflow.');
    await once(async (began) =>
      began.audit(
        'workflow.exported',
        { organizationId: caller.organization.id, id: actor.id, name: actor.name },
        { workflow: actorId(actor.kind, actor.id), run },
      ),
    );
    return { events: (exported.events ?? []) as Record<string, unknown>[] };
  },
});

const startedWithinMillis = 60_000;
const decidedBefore = 'It was decided before the workflow began, so there is no history.';

const getWorkflow = operation({
  method: 'GET',
  url: '/api/v1/workflows/{id}',
  summary: 'Get a workflow: why, who, its stages and what it waits for',
  role: 'viewer',
  projectTokens: 'allowed',
  result: workflowDetailSchema,
  async handle({ caller, path, server }) {
    const actor = await actorOf(caller, path.id);
    const historySource = actor.archivedAt === null ? ('live' as const) : ('archive' as const);
    const known = { ...presentWorkflow(actor), historySource };
    try {
      const now = await nowOf(actor, historyOf(server, actor));
      const neverBegan = !known.open && now.runs === 0 && known.message === '';
      return { ...known, ...now, ...(neverBegan ? { message: decidedBefore } : {}) };
    } catch (error) {
      // Why it is stuck is in its row: that is told while Temporal is away, too.
      if (!isAway(error)) throw error;
      const waitingFor = known.open ? 'What it waits for is known again when Temporal can be reached.' : '';
      return { ...known, about: '', stages: [], pending: [], waitingFor };
    }
  },
});

type Now = Pick<AnswerOf<typeof workflowDetailSchema>, 'about' | 'stages' | 'runs' | 'pending' | 'waitingFor'>;

/** Its purpose, its stages, and the step that it waits for. */
async function nowOf(actor: ActorView, history: ActorHistory): Promise<Now> {
  const { runs, about, course, waiting } = await courseOf(actor, history);
  const stages = course === undefined ? [] : stagesOf(descriptors[actor.kind], course).map(presentStage);
  const known = { runs, about, stages };
  if (actor.finishedAt !== null) return { ...known, pending: [], waitingFor: '' };
  const described = await history.described();
  if (described === undefined) return { ...known, pending: [], waitingFor: unknownToTemporal(actor) };
  const idle = descriptors[actor.kind].words.idle(actor.state);
  const waitingFor = described.running ? (sentence(waiting) ?? idle) : '';
  return { ...known, pending: waiting.map(pendingOf), waitingFor };
}

function presentStage(stage: Stage): AnswerOf<typeof stageSchema> {
  return { ...stage, durationMs: durationOf(stage) };
}

/** Young: its start is on its way. Older: Temporal has lost it, by a restored database or another namespace. */
function unknownToTemporal({ createdAt }: ActorView): string {
  return Date.now() - createdAt.getTime() < startedWithinMillis
    ? 'Waits to be started.'
    : 'Temporal does not know it; workers start it again. If that lasts, see which namespace is set (TEMPORAL_NAMESPACE).';
}

function pendingOf({ title, attempts, failure, until, startedAt }: HistoryStep): AnswerOf<typeof pendingSchema> {
  return { what: title, attempt: attempts, lastFailure: failure, nextAttemptAt: until, since: startedAt };
}

/** The strongest reason comes first: a step that keeps failing, then a running one, then one that waits. */
function sentence(waiting: readonly HistoryStep[]): string | undefined {
  const [step] = waiting.toSorted((a, b) => weight(b) - weight(a));
  if (step === undefined) return undefined;
  const { kind, title, attempts, failure, until } = step;
  if (kind === 'waited') return until === undefined ? `${title}.` : `${title}, until ${moment(until)} at most.`;
  if (failure === '') return `${title}.`;
  const failed = attempts === 2 ? 'once' : `${attempts - 1} times`;
  const again = until === undefined ? 'it is being tried again' : `it is tried again at ${moment(until)}`;
  return `${title}: it failed ${failed}, and ${again}.`;
}

function weight({ kind, attempts }: HistoryStep): number {
  return kind === 'waited' ? 0 : attempts;
}

const listHistory = operation({
  method: 'GET',
  url: '/api/v1/workflows/{id}/history',
  summary: 'List the steps of a workflow',
  description:
    'A step joins the events that belong together. Read from Temporal while the workflow runs, and from the archive where it, or a run of it, has ended.',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found', 'unavailable'],
  query: historyQuery,
  paged: { after: historyPosition },
  result: historyStepSchema,
  async handle({ caller, path, query, page, server, signal }) {
    return await historyPage(await actorOf(caller, path.id), { query, page, server, signal });
  },
});

const time = z.iso.datetime({ offset: true });

export const listWorkflows = operation({
  method: 'GET',
  url: '/api/v1/workflows',
  summary: 'List workflows, newest first',
  description:
    'Work that takes longer than a request is a workflow. Only kinds that the caller may read are listed: those about a cluster by viewers, deletions by administrators.',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({
    q: soughtText('its title or id'),
    kind: z.enum(actorKinds).optional(),
    lives: z
      .enum(['once', 'for-ever'])
      .optional()
      .describe('`once`: those that run to their end; `for-ever`: those that live as long as their subject.'),
    state: z.enum(['open', 'over']).optional().describe('`open`: running; `over`: finished.'),
    outcome: z.enum(['succeeded', 'failed', 'cancelled']).optional().describe('Only finished ones that ended so.'),
    stuck: z.boolean().optional().describe('`true`: only stuck ones.'),
    subjectId: z.guid().toLowerCase().optional().describe('Only those about this cluster or organization.'),
    requestedBy: z.string().min(1).max(200).optional().describe('The id of the person or token that started it.'),
    from: time.optional().describe('Only those still running at this time, or later.'),
    until: time.optional().describe('Only those that started before this time.'),
  }),
  paged: { after: createdPosition },
  result: workflowSchema,
  async handle({ caller, query, database, page }) {
    const { q, kind, lives, state, outcome, stuck, subjectId, requestedBy, from, until } = query;
    const kinds = readableKinds(caller).filter(
      (one) => (kind ?? one) === one && (lives ?? descriptors[one].lives) === descriptors[one].lives,
    );
    const rows = await listActors(database.kysely, caller.organization.id, {
      kinds,
      q,
      open: state === undefined ? undefined : state === 'open',
      ends: outcome,
      stuck: stuck === true,
      subjectId,
      requestedBy,
      from: from === undefined ? undefined : new Date(from),
      until: until === undefined ? undefined : new Date(until),
      ...oneMore(page),
    });
    return pageOf(rows, page, presentWorkflow);
  },
});

export const workflows = { list: listWorkflows, get: getWorkflow, history: listHistory, export: exportHistory };
