import { setTimeout as pause } from 'node:timers/promises';
import type { ContainerInspectInfo } from 'dockerode';
import type { LogCursor, LogGap } from '../../../../protocol/logs.ts';
import type { LogLines, LogNews, LogRequest } from '../../driver.ts';
import type { Engine } from '../engine.ts';
import { frames, LineReader, overlapTicks, timeOfTick } from './log-lines.ts';

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
  { start, follow, signal }: LogRequest,
): AsyncGenerator<LogNews, void, undefined> {
  const first = await inspect();
  if (first === undefined) throw new Error('There is no such instance; list the instances of the cluster.');
  const container = { id: first.Id, madeAt: first.Created };
  const { cursor, lines, isAll } = await beginning(engine, container, start, signal);
  yield { begin: { ...cursor } };
  for (const line of lines) yield taken(cursor, line);
  const from = () => ({ since: timeOfTick(container.madeAt, farthest(cursor) - overlapTicks), tail: 'all' });
  let isBehind = start !== 'oldest' && 'from' in start;
  let seen = '';
  // Without `follow` once: whatever is there now.
  for (let again = follow || !isAll; again && !signal.aborted; again = follow) {
    try {
      const now = await inspect();
      if (now?.Id !== container.id) return;
      const state = `${now.State.StartedAt} ${now.State.FinishedAt}`;
      if (!follow || now.State.Running || state !== seen) {
        const gap = isBehind ? await gapBefore(engine, container, cursor, signal) : undefined;
        if (gap !== undefined) yield gap;
        isBehind = true;
        const query = { ...from(), ...(follow ? { follow: 'true' } : {}) };
        for await (const line of read(engine, container, query, signal)) {
          if (line.position >= cursor[line.stream]) yield taken(cursor, line);
        }
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

/** Lines come in the order of their times: whatever lies before the farthest was read of both streams. */
function farthest({ stdout, stderr }: LogCursor): number {
  return Math.max(stdout, stderr);
}

async function beginning(
  engine: Engine,
  container: Container,
  start: LogRequest['start'],
  signal: AbortSignal,
): Promise<{ cursor: LogCursor; lines: LogLines[]; isAll: boolean }> {
  const at = (position: number) => ({ stdout: position, stderr: position });
  if (start === 'oldest') return { cursor: at(0), lines: [], isAll: false };
  if ('from' in start) return { cursor: { ...start.from }, lines: [], isAll: false };
  const { tail } = start;
  if (tail >= largestTail) return { cursor: at(0), lines: [], isAll: false };
  const kept: LogLines[] = [];
  for await (const line of read(engine, container, { tail: String((tail + 2) * partsOfLine) }, signal)) {
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
