import type { z } from 'zod';
import type { ActorView } from '../../db/workflows/actors.ts';
import { moment } from '../../domain/history-steps/in-words.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { steps } from '../../domain/history-steps/steps.ts';
import type { ActorHistory } from '../../temporal/history/actor-history.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import { operation } from '../engine/operation.ts';
import { historyOf } from './history-of.ts';
import { presentWorkflow } from './present-workflow.ts';
import { isAway } from './reached.ts';
import { type pendingSchema, theActor, workflowDetailSchema, workflowPath } from './workflow.ts';

const startedWithinMillis = 60_000;

export const getWorkflow = operation({
  method: 'GET',
  url: '/api/v1/workflows/{id}',
  summary: 'Get a workflow and what it waits for',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: workflowPath,
  result: workflowDetailSchema,
  async handle({ caller, path, server }) {
    const actor = await caller.see(theActor, path.id);
    const known = {
      ...presentWorkflow(actor),
      historySource: actor.archivedAt === null ? ('live' as const) : ('archive' as const),
    };
    try {
      return { ...known, ...(await nowOf(actor, historyOf(server, actor))) };
    } catch (error) {
      // Why it is stuck is in its row: that is told while Temporal is away, too.
      if (!isAway(error)) throw error;
      const waitingFor = known.open ? 'What it waits for is known again when Temporal can be reached.' : '';
      return { ...known, pending: [], waitingFor };
    }
  },
});

/** The step that the workflow waits for, and the number of its runs. */
async function nowOf(
  actor: ActorView,
  history: ActorHistory,
): Promise<Pick<z.output<typeof workflowDetailSchema>, 'runs' | 'pending' | 'waitingFor'>> {
  const runs = await history.count();
  if (actor.finishedAt !== null) return { runs, pending: [], waitingFor: '' };
  const described = await history.described();
  if (described === undefined) return { runs, pending: [], waitingFor: unknownToTemporal(actor) };
  const words = descriptors[actor.kind].words;
  const events = (await history.run(runs)) ?? [];
  const waiting = steps({ number: runs, events }, words, described.trying).filter(
    ({ outcome }) => outcome === 'waiting',
  );
  const waitingFor = described.running ? (sentence(waiting) ?? words.idle(actor.state)) : '';
  return { runs, pending: waiting.map(pendingOf), waitingFor };
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
