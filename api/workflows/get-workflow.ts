import type { z } from 'zod';
import { moment } from '../../domain/history-steps/in-words.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { steps } from '../../domain/history-steps/steps.ts';
import { actorWords } from '../../domain/history-steps/words.ts';
import { operation } from '../operation.ts';
import { historyOf } from './history-of.ts';
import { presentWorkflow } from './present-workflow.ts';
import { reached } from './reached.ts';
import { type pendingSchema, workflowDetailSchema, workflowPath } from './workflow.ts';

export const getWorkflow = operation({
  method: 'GET',
  url: '/api/v1/workflows/{id}',
  summary: 'One actor, and what it waits for',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'unavailable'],
  path: workflowPath,
  result: workflowDetailSchema,
  async handle({ caller, path, server }) {
    const actor = await caller.actor(path.id);
    const history = historyOf(server, actor);
    const known = {
      ...presentWorkflow(actor),
      runs: await reached(() => history.count()),
      historySource: actor.archivedAt === null ? ('live' as const) : ('archive' as const),
    };
    if (!known.open) return { ...known, pending: [], waitingFor: '' };
    const described = await reached(() => history.described());
    if (described === undefined) return { ...known, pending: [], waitingFor: 'Waits to be started.' };
    const words = actorWords[actor.kind];
    const events = (await reached(() => history.run(known.runs))) ?? [];
    const waiting = steps({ number: known.runs, events }, words, described.trying).filter(
      ({ outcome }) => outcome === 'waiting',
    );
    const waitingFor = described.running ? (sentence(waiting) ?? words.idle(actor.state)) : '';
    return { ...known, pending: waiting.map(pendingOf), waitingFor };
  },
});

function pendingOf({ title, attempts, failure, until, startedAt }: HistoryStep): z.output<typeof pendingSchema> {
  return {
    what: title,
    attempt: attempts,
    lastFailure: failure,
    ...(until === undefined ? {} : { nextAttemptAt: until }),
    since: startedAt,
  };
}

/** What keeps it most comes first: what fails again and again, then what it does, then what it waits for. */
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
