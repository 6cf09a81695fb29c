import { z } from 'zod';
import type { ActorView } from '../../db/workflows/actors.ts';
import { endsRun, type HistoryEvent } from '../../domain/history-steps/event.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { steps } from '../../domain/history-steps/steps.ts';
import type { Trying } from '../../domain/history-steps/telling.ts';
import { Problem } from '../../domain/problems.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { historyOf } from './history-of.ts';
import { presentStep } from './present-step.ts';
import { reached } from './reached.ts';
import type { historyStepSchema } from './workflow.ts';

export const historyPosition = z.strictObject({ run: z.int().min(1), event: z.int().min(1) });
export const historyQuery = z.strictObject({
  order: z.enum(['oldest', 'newest']).default('oldest').describe('What comes first.'),
  raw: z.boolean().default(false).describe('Whether each step has its `events`.'),
});

interface Asked {
  query: z.output<typeof historyQuery>;
  page: { limit: number; after?: z.output<typeof historyPosition> | undefined };
  server: ServerParts;
  signal: AbortSignal;
}

/** A page of the steps of an actor that the caller may see. */
export async function historyPage(actor: ActorView, { query, page, server, signal }: Asked) {
  const history = historyOf(server, actor);
  const newest = query.order === 'newest';
  const items: z.output<typeof historyStepSchema>[] = [];
  let last: HistoryStep | undefined;
  let run = page.after?.run ?? (newest ? await reached(() => history.count()) : 1);
  // A run at a time, until there is one step more than the page holds.
  while (run > 0) {
    signal.throwIfAborted();
    const read = await runAndTries(run).catch((error: unknown) => {
      // Archived events are answered first; only the rest has to wait for Temporal.
      if (last === undefined || !(error instanceof Problem) || error.code !== 'unavailable') throw error;
      return 'away' as const;
    });
    if (read === 'away') return { items, after: last && positionOf(last) };
    if (read === undefined) break;
    const { events, trying } = read;
    const told = steps({ number: run, events }, descriptors[actor.kind].words, trying);
    for (const step of newest ? told.reverse() : told) {
      if (isBefore(step, page.after, newest)) continue;
      if (items.length === page.limit) return { items, after: last && positionOf(last) };
      items.push(presentStep(step, query.raw ? events : undefined));
      last = step;
    }
    run += newest ? -1 : 1;
  }
  return { items, after: undefined };

  /** How often something has been tried is in the history only once it has finished. */
  async function runAndTries(
    number: number,
  ): Promise<{ events: HistoryEvent[]; trying: Map<string, Trying> } | undefined> {
    const events = await reached(() => history.run(number));
    if (events === undefined) return undefined;
    const described = endsRun(events.at(-1)) ? undefined : await reached(() => history.described());
    return { events, trying: described?.trying ?? new Map() };
  }
}

function positionOf({ run, events }: HistoryStep): z.output<typeof historyPosition> {
  return { run, event: events[0] ?? 1 };
}

/** Whether the step was on an earlier page. */
function isBefore(step: HistoryStep, after: z.output<typeof historyPosition> | undefined, newest: boolean): boolean {
  if (after === undefined || step.run !== after.run) return false;
  const { event } = positionOf(step);
  return newest ? event >= after.event : event <= after.event;
}
