import type { z } from 'zod';
import type { ActorView } from '../../db/workflows/actors.ts';
import { moment } from '../../domain/history-steps/in-words.ts';
import { type Stage, stagesOf } from '../../domain/history-steps/stages.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import type { ActorHistory } from '../../temporal/history/actor-history.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import { operation } from '../engine/operation.ts';
import { courseOf } from './course.ts';
import { historyOf } from './history-of.ts';
import { presentWorkflow } from './present-workflow.ts';
import { isAway } from './reached.ts';
import { actorOf, type pendingSchema, type stageSchema, workflowDetailSchema, workflowPath } from './workflow.ts';

const startedWithinMillis = 60_000;
const decidedBefore = 'It was decided before the workflow began, so there is no history.';

export const getWorkflow = operation({
  method: 'GET',
  url: '/api/v1/workflows/{id}',
  summary: 'Get a workflow: why, who, its stages and what it waits for',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: workflowPath,
  result: workflowDetailSchema,
  async handle({ caller, path, server }) {
    const actor = await actorOf(caller, path.id);
    const known = {
      ...presentWorkflow(actor),
      historySource: actor.archivedAt === null ? ('live' as const) : ('archive' as const),
    };
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

type Now = Pick<z.output<typeof workflowDetailSchema>, 'about' | 'stages' | 'runs' | 'pending' | 'waitingFor'>;

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

function presentStage(stage: Stage): z.output<typeof stageSchema> {
  const { startedAt, finishedAt } = stage;
  if (startedAt === undefined || finishedAt === undefined) return stage;
  return { ...stage, durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) };
}

/** Young: its start is on its way. Older: Temporal has lost it, by a restored database or another namespace. */
function unknownToTemporal({ createdAt }: ActorView): string {
  return Date.now() - createdAt.getTime() < startedWithinMillis
    ? 'Waits to be started.'
    : 'Temporal does not know it; workers start it again. If that lasts, see which namespace is set (TEMPORAL_NAMESPACE).';
}

function pendingOf({ title, attempts, failure, until, startedAt }: HistoryStep): z.output<typeof pendingSchema> {
  return {
    what: title,
    attempt: attempts,
    lastFailure: failure,
    ...(until === undefined ? {} : { nextAttemptAt: until }),
    since: startedAt,
  };
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
