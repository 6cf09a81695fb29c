import { setTimeout as pause } from 'node:timers/promises';
import type { ContainerInspectInfo } from 'dockerode';
import type { LogCursor, LogGap, LogRun } from '../../../../protocol/logs.ts';
import type { LogLines, LogNews, LogRequest } from '../../driver.ts';
import type { Engine } from '../engine.ts';
import type { Past } from '../runs.ts';
import { frames, LineReader, overlapTicks, tickOf, timeOfTick } from './log-lines.ts';

/**
 * Where the lines of each run stand among times. An engine writes last words down a moment after an end, and the first
 * ones a moment before it calls the start: the border is halfway between the two. The last run has no `to` yet.
 */
export function placedRuns(runs: readonly Past[], madeAt: string): LogRun[] {
  const first = runs.map(({ startedAt }, index) => {
    const before = runs[index - 1]?.exit;
    if (startedAt === undefined || index === 0) return 0;
    const start = tickOf(madeAt, startedAt);
    return before === undefined ? start : Math.round((start + tickOf(madeAt, before.at.toISOString())) / 2);
  });
  return runs.map(({ run, startedAt, exit }, index) => {
    const begun = {
      ...{ run, from: both(first[index] ?? 0) },
      ...(startedAt === undefined ? {} : { startedAt: Date.parse(startedAt) }),
    };
    if (exit === undefined) return begun;
    const { run: _, at, ...how } = exit;
    const next = first[index + 1];
    // An engine may take the time of a short run's start after that of its end.
    const ended = Math.max(at.getTime(), begun.startedAt ?? 0);
    return { ...begun, exit: { at: ended, ...how }, ...(next === undefined ? {} : { to: both(next) }) };
  });
}

function both(position: number): LogCursor {
  return { stdout: Math.max(0, position), stderr: Math.max(0, position) };
}

/** Tells runs once: those that began before their lines are read, the end of the last one afterwards. */
class ToldRuns {
  readonly #told = new Map<number, string>();

  begun(runs: readonly LogRun[]): LogRun[] {
    return this.#news(runs.map(({ exit, ...run }) => (run.to === undefined ? run : { ...run, ...(exit && { exit }) })));
  }

  ended(runs: readonly LogRun[], read: LogCursor): LogRun[] {
    const last = runs.at(-1);
    if (last?.exit === undefined) return [];
    const to = {
      stdout: Math.max(last.from.stdout, read.stdout),
      stderr: Math.max(last.from.stderr, read.stderr),
    };
    return this.#news([{ ...last, to }]);
  }

  #news(runs: readonly LogRun[]): LogRun[] {
    return runs.filter(({ run, exit }) => {
      const state = exit === undefined ? 'begun' : 'ended';
      if (this.#told.get(run) === state || this.#told.get(run) === 'ended') return false;
      this.#told.set(run, state);
      return true;
    });
  }
}

/** Nobody asks for more and means less than everything. */
const largestTail = 100_000;
/** A line of 64 KiB is kept in so many parts, which an engine counts as lines. */
const partsOfLine = 4;
const lookMilliseconds = 250;

type Inspect = () => Promise<ContainerInspectInfo | undefined>;

interface Container {
  id: string;
  madeAt: string;
}

/**
 * The log of a container, which the engine writes whether an agent lives or not. Positions are times, since an engine
 * counts no bytes and deletes old files. What is followed ends with each run and with the engine, so it is taken up again
 * from a second before the last line, without the lines that were told already.
 */
export async function* logs(
  engine: Engine,
  inspect: Inspect,
  runs: (madeAt: string) => LogRun[],
  { start, to, follow, signal }: LogRequest,
): AsyncGenerator<LogNews, void, undefined> {
  const first = await inspect();
  if (first === undefined) throw new Error('There is no such instance; list the instances of the cluster.');
  const container = { id: first.Id, madeAt: first.Created };
  const told = new ToldRuns();
  let known = runs(container.madeAt);
  const { cursor, lines, isAll } = await beginning(engine, container, { start, to }, signal);
  yield { begin: { ...cursor } };
  yield { runs: told.begun(known) };
  for (const line of lines) yield taken(cursor, line);
  if (isAll && to === undefined) yield { runs: told.ended(known, cursor) };
  const until = to === undefined ? {} : { until: timeOfTick(container.madeAt, farthest(to)) };
  const from = () => ({ since: timeOfTick(container.madeAt, farthest(cursor) - overlapTicks), tail: 'all', ...until });
  let isBehind = start !== 'oldest' && 'from' in start;
  let seen = '';
  // Without `follow` once: whatever is there now.
  for (let again = follow || !isAll; again && !signal.aborted; again = follow) {
    try {
      const now = await inspect();
      if (now?.Id !== container.id) return;
      known = runs(container.madeAt);
      const begun = told.begun(known);
      if (begun.length > 0) yield { runs: begun };
      const state = `${now.State.StartedAt} ${now.State.FinishedAt}`;
      if (!follow || now.State.Running || state !== seen) {
        const gap = isBehind ? await gapBefore(engine, container, cursor, signal) : undefined;
        if (gap !== undefined) yield gap;
        isBehind = true;
        const query = { ...from(), ...(follow ? { follow: 'true' } : {}) };
        for await (const line of read(engine, container, query, signal)) {
          if (line.position >= cursor[line.stream] && isBefore(line, to)) yield taken(cursor, line);
        }
        const ended = to === undefined ? told.ended(known, cursor) : [];
        if (ended.length > 0) yield { runs: ended };
        seen = state;
      }
    } catch (error) {
      if (signal.aborted) return;
      // A followed engine that is down is asked again until it answers.
      if (!follow || !(error instanceof Error)) throw error;
    }
    if (follow) await pause(lookMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}

function taken(cursor: LogCursor, line: LogLines): LogLines {
  cursor[line.stream] = line.next;
  return line;
}

function isBefore({ stream, position }: LogLines, to: LogCursor | undefined): boolean {
  return to === undefined || position < to[stream];
}

/** Lines come in the order of their times: whatever lies before the farthest was read of both streams. */
function farthest({ stdout, stderr }: LogCursor): number {
  return Math.max(stdout, stderr);
}

async function beginning(
  engine: Engine,
  container: Container,
  { start, to }: Pick<LogRequest, 'start' | 'to'>,
  signal: AbortSignal,
): Promise<{ cursor: LogCursor; lines: LogLines[]; isAll: boolean }> {
  const at = (position: number) => ({ stdout: position, stderr: position });
  if (start === 'oldest') return { cursor: at(0), lines: [], isAll: false };
  if ('from' in start) return { cursor: { ...start.from }, lines: [], isAll: false };
  const { tail } = start;
  if (tail >= largestTail) return { cursor: at(0), lines: [], isAll: false };
  const kept: LogLines[] = [];
  // An engine counts its last lines before it leaves out those that are too new.
  const query =
    to === undefined
      ? { tail: String((tail + 2) * partsOfLine) }
      : { tail: 'all', until: timeOfTick(container.madeAt, farthest(to)) };
  for await (const line of read(engine, container, query, signal)) {
    if (!isBefore(line, to)) continue;
    kept.push(line);
    // The first of all may be the end of a long line only, and is never among those that were asked for.
    if (kept.length > tail + 1_000) kept.splice(0, kept.length - tail - 1);
  }
  const lines = tail === 0 ? [] : kept.slice(-tail);
  return { cursor: at(lines[0]?.position ?? kept.at(-1)?.next ?? 0), lines, isAll: true };
}

/** The engine deletes its oldest file of a log when the newest is full, whoever reads. */
async function gapBefore(
  engine: Engine,
  container: Container,
  cursor: LogCursor,
  signal: AbortSignal,
): Promise<LogGap | undefined> {
  const from = farthest(cursor);
  if (from === 0) return undefined;
  for await (const { stream, position } of read(engine, container, { tail: 'all' }, signal)) {
    if (position <= from) return undefined;
    cursor.stdout = position;
    cursor.stderr = position;
    return { stream, missing: { from, to: position } };
  }
  return undefined;
}

async function* read(
  engine: Engine,
  { id, madeAt }: Container,
  query: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<LogLines, void, undefined> {
  const parameters = new URLSearchParams({ stdout: 'true', stderr: 'true', timestamps: 'true', ...query });
  const bytes = await engine.open(`/containers/${id}/logs?${parameters}`, signal);
  const reader = new LineReader(madeAt);
  for await (const frame of frames(bytes)) yield* reader.read(frame.stream, frame.bytes);
}
