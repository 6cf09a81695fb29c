import { z } from 'zod';
import type { ActorView } from '../../db/workflows/actors.ts';
import { actorId } from '../../domain/actors/actors.ts';
import type { Course, Stage } from '../../domain/history-steps/stages.ts';
import {
  endsRun,
  factsOf,
  type HistoryEvent,
  type HistoryStep,
  isFailure,
  textOf,
} from '../../domain/history-steps/step.ts';
import { steps } from '../../domain/history-steps/steps.ts';
import type { Trying } from '../../domain/history-steps/telling.ts';
import { withoutSecrets } from '../../domain/history-steps/without-secrets.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';
import { stateWords } from '../../domain/history-steps/words.ts';
import { Problem } from '../../domain/problems.ts';
import { ActorHistory } from '../../temporal/history/actor-history.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { type historyStepSchema, reached } from './workflow.ts';

/** The history of an actor that the caller may see. */
export function historyOf(server: ServerParts, { kind, id, archivedAt }: ActorView): ActorHistory {
  const { database, keyring, temporal, log } = server;
  const onUnreadable = (error: Error): void => log.error({ err: error }, 'A page of the archive cannot be read');
  return new ActorHistory({ database, keyring, temporal, onUnreadable }, actorId(kind, id), archivedAt !== null);
}

interface HistoryContext {
  /** When the workflow started. */
  since: Date;
  words: ActorWords;
  /** Those of its run, if they are asked for. */
  events?: readonly HistoryEvent[] | undefined;
}

function presentStep(step: HistoryStep, { since, words, events }: HistoryContext): AnswerOf<typeof historyStepSchema> {
  const { run, events: ids, startedAt, state } = step;
  return {
    ...step,
    id: `${run}-${ids[0]}`,
    stateTitle: state === undefined ? undefined : stateWords(words, state).word,
    sinceStartMs: Math.max(0, Date.parse(startedAt) - since.getTime()),
    // Titles and details come from workflows and can have any length.
    title: cut(step.title, 300),
    detail: cut(step.detail, 2_000),
    durationMs: durationOf(step),
    events: events
      ?.filter(({ id }) => ids.includes(id))
      .map((event) => ({ ...event, attributes: withoutSecrets(event.attributes) })),
  };
}

export function durationOf({ startedAt, finishedAt }: Pick<Stage, 'startedAt' | 'finishedAt'>): number | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  return Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

export const historyPosition = z.strictObject({ run: z.int().min(1), event: z.int().min(1) });
export const historyQuery = z.strictObject({
  order: z.enum(['oldest', 'newest']).default('oldest').describe('What comes first.'),
  raw: z.boolean().default(false).describe('Whether each step has its `events`.'),
  failures: z
    .boolean()
    .default(false)
    .describe('Only steps that failed, timed out, needed another attempt or tell of a failure.'),
  q: z.string().trim().max(200).default('').describe('Only steps with this text in their title, detail or failure.'),
  step: z
    .string()
    .regex(/^[1-9]\d{0,8}-[1-9]\d{0,8}$/)
    .optional()
    .describe('Begins a few steps before this one, which is named by its `id` or by one of its events.'),
});

interface HistoryRequest {
  query: z.output<typeof historyQuery>;
  page: { limit: number; after?: z.output<typeof historyPosition> | undefined };
  server: ServerParts;
  signal: AbortSignal;
}

/** A page of the steps of an actor that the caller may see. */
export async function historyPage(actor: ActorView, { query, page, server, signal }: HistoryRequest) {
  const history = historyOf(server, actor);
  const newest = query.order === 'newest';
  const { words } = descriptors[actor.kind];
  const items: AnswerOf<typeof historyStepSchema>[] = [];
  let last: HistoryStep | undefined;
  const sought = query.step === undefined ? undefined : soughtOf(query.step);
  const matches = matching(query);
  let run = page.after?.run ?? sought?.run ?? (newest ? await reached(() => history.count()) : 1);
  let scanned: HistoryStep | undefined;
  // A run at a time, until there is one step more than the page holds.
  for (let runs = 0; run > 0; runs += 1) {
    signal.throwIfAborted();
    if (runs === mostRuns) return { items, after: scanned && positionOf(scanned) };
    const read = await runAndTries(run).catch((error: unknown) => {
      // Archived events are answered first; only the rest has to wait for Temporal.
      if (last === undefined || !(error instanceof Problem) || error.code !== 'unavailable') throw error;
      return 'away' as const;
    });
    if (read === 'away') return { items, after: last && positionOf(last) };
    if (read === undefined) break;
    const { events, trying } = read;
    const told = steps({ number: run, events }, words, trying);
    const ordered = newest ? told.reverse() : told;
    const begin = page.after === undefined && sought?.run === run ? firstAround(ordered, sought.event) : 0;
    for (const step of ordered.slice(begin)) {
      if (isBefore(step, page.after, newest)) continue;
      scanned = step;
      if (!matches(step)) continue;
      if (items.length === page.limit) return { items, after: last && positionOf(last) };
      items.push(presentStep(step, { since: actor.createdAt, words, events: query.raw ? events : undefined }));
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

/** So many runs are read for a page of few matches; the next page goes on behind them. */
const mostRuns = 10;
/** Steps that are shown before the one that was sought. */
const context = 10;

function soughtOf(step: string): { run: number; event: number } {
  const [run = 1, event = 1] = step.split('-').map(Number);
  return { run, event };
}

function firstAround(ordered: readonly HistoryStep[], event: number): number {
  return Math.max(0, ordered.findIndex(({ events }) => events.includes(event)) - context);
}

function matching({ failures, q }: HistoryRequest['query']): (step: HistoryStep) => boolean {
  const text = q.toLowerCase();
  return (step) => {
    if (failures && !isFailure(step)) return false;
    return text === '' || `${step.title}\n${step.detail}\n${step.failure}`.toLowerCase().includes(text);
  };
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

/** An actor that runs to its end seldom has a second run; of one that lives for ever the last run tells enough. */
const shownRuns = { once: 5, 'for-ever': 1 } as const;

/** The way of an actor, as its last runs tell it. */
export async function courseOf(
  actor: ActorView,
  history: ActorHistory,
): Promise<{ runs: number; about: string; course: Course | undefined; waiting: HistoryStep[] }> {
  const { words, states, lives } = descriptors[actor.kind];
  const runs = await history.count();
  const told: HistoryStep[] = [];
  const from = Math.max(1, runs - shownRuns[lives] + 1);
  let about = '';
  let begunIn = states[0] ?? '';
  let waiting: HistoryStep[] = [];
  for (let run = from; run <= runs; run += 1) {
    const events = (await history.run(run)) ?? [];
    const input = factsOf(events[0]?.attributes.input);
    if (run === from) {
      about = events.length === 0 ? '' : words.about(input);
      begunIn = textOf(input.state) || begunIn;
    }
    const trying = endsRun(events.at(-1)) ? undefined : (await history.described())?.trying;
    const ofRun = steps({ number: run, events }, words, trying);
    told.push(...ofRun);
    waiting = ofRun.filter(({ outcome }) => outcome === 'waiting');
  }
  const { state, createdAt, finishedAt } = actor;
  const course: Course = {
    ...{ steps: told, begunIn, state },
    ...(from === 1 ? { begunAt: createdAt.toISOString() } : {}),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  };
  return { runs, about, course: told.length === 0 ? undefined : course, waiting };
}
