import { setTimeout as pause } from 'node:timers/promises';
import type { ContainerInspectInfo } from 'dockerode';
import type { LogLine, LogRequest } from '../../driver.ts';
import type { Engine } from '../engine.ts';
import { frames, type Line, LineReader, overlapTicks, timeOfTick } from './log-lines.ts';

/** Nobody asks for more and means less than everything. */
const largestTail = 100_000;
/** A line of 64 KiB is kept in so many parts, which an engine counts as lines. */
const partsOfLine = 4;
const remembered = 50_000;
const lookMilliseconds = 250;

type Inspect = () => Promise<ContainerInspectInfo | undefined>;

/**
 * The log of a container, which the engine writes whether an agent lives or not. What is followed ends with each run
 * and with the engine, so it is taken up again from a second before the last line, without what was told already.
 */
export async function* logs(
  engine: Engine,
  inspect: Inspect,
  { tail, follow, signal }: LogRequest,
): AsyncGenerator<LogLine, void, undefined> {
  const first = await inspect();
  if (first === undefined) throw new Error('There is no such instance; list the instances of the cluster.');
  const container = { id: first.Id, madeAt: first.Created };
  const told = new Told();
  if (tail >= largestTail) {
    yield* tell(read(engine, container, { tail: 'all' }, signal), told, signal);
  } else {
    const last = await lastLines(read(engine, container, { tail: String(framesFor(tail)) }, signal), tail, told);
    for (const line of last) yield plain(line);
  }
  let seen = '';
  while (follow && !signal.aborted) {
    try {
      const now = await inspect();
      if (now?.Id !== container.id) return;
      const state = `${now.State.StartedAt} ${now.State.FinishedAt}`;
      if (now.State.Running || state !== seen) {
        const query = {
          since: timeOfTick(container.madeAt, told.lastTick - overlapTicks),
          follow: 'true',
          tail: 'all',
        };
        yield* tell(read(engine, container, query, signal), told, signal);
        seen = state;
      }
    } catch (error) {
      if (signal.aborted) return;
      // The engine is down; the request is repeated once it answers.
      if (!(error instanceof Error)) throw error;
    }
    await pause(lookMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}

async function* read(
  engine: Engine,
  { id, madeAt }: { id: string; madeAt: string },
  query: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<Line, void, undefined> {
  const parameters = new URLSearchParams({ stdout: 'true', stderr: 'true', timestamps: 'true', ...query });
  const bytes = await engine.open(`/containers/${id}/logs?${parameters}`, signal);
  const reader = new LineReader(madeAt);
  for await (const frame of frames(bytes)) yield* reader.read(frame.stream, frame.bytes);
}

async function* tell(
  lines: AsyncIterable<Line>,
  told: Told,
  signal: AbortSignal,
): AsyncGenerator<LogLine, void, undefined> {
  try {
    for await (const line of lines) if (told.isNew(line)) yield plain(line);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function lastLines(lines: AsyncIterable<Line>, count: number, told: Told): Promise<Line[]> {
  const kept: Line[] = [];
  for await (const line of lines) {
    told.isNew(line);
    kept.push(line);
    // The first of all may be the end of a long line only, and is never among those that were asked for.
    if (kept.length > count + 1_000) kept.splice(0, kept.length - count);
  }
  return kept.slice(kept.length - Math.min(count, kept.length));
}

function framesFor(tail: number): number {
  return (tail + 2) * partsOfLine;
}

function plain({ position, stream, at, text }: Line): LogLine {
  return { position, stream, at, text };
}

/** Which lines were told. Of those before the oldest that is remembered all were, or nobody wanted them. */
class Told {
  readonly #names = new Map<string, number>();
  #floor: number | undefined;
  lastTick = 0;

  isNew({ name, tick }: Line): boolean {
    this.#floor ??= tick;
    if (tick < this.#floor || this.#names.has(name)) return false;
    this.#names.set(name, tick);
    this.lastTick = Math.max(this.lastTick, tick);
    for (const [oldest, at] of this.#names) {
      if (this.#names.size <= remembered && at >= this.lastTick - 2 * overlapTicks) break;
      this.#names.delete(oldest);
      this.#floor = Math.max(this.#floor, at + 1);
    }
    return true;
  }
}
