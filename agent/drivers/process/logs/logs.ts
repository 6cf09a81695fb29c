import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { linesOf } from '../../../../protocol/log-lines.ts';
import { type LogCursor, type LogRun, type LogStream, logStreams } from '../../../../protocol/logs.ts';
import type { LogNews, LogRequest } from '../../driver.ts';
import type { Places } from '../places.ts';
import type { Run as ProcessRun } from '../runs.ts';
import type { LogFile, Run } from './log-file.ts';

export const streams = logStreams;
export type Streams = Readonly<Record<LogStream, LogFile>>;

const lookMilliseconds = 100;

/** The runs of an instance: the last one as it is now, and all whose place in the log is known. */
export interface Runs {
  last(): ProcessRun | undefined | 'removed';
  all(last: ProcessRun | undefined, ends: LogCursor): LogRun[];
}

export async function* readLogs(
  files: Streams,
  { start, to, follow, signal }: LogRequest,
  runs: Runs,
): AsyncGenerator<LogNews, void, undefined> {
  let told: Map<number, string> | undefined;
  // In this order, each time: what ended before it was looked at has written all that it ever will.
  let last = runs.last();
  if (last === 'removed') return;
  let ends = sizes(files, to);
  const cursor = beginning(files, start, ends, !(follow && last?.running));
  yield { begin: { ...cursor } };
  while (!signal.aborted) {
    const news = runs.all(last, ends).filter((run) => told?.get(run.run) !== JSON.stringify(run));
    if (news.length > 0 || told === undefined) yield { runs: news };
    told ??= new Map();
    for (const run of news) told.set(run.run, JSON.stringify(run));
    for (const found of merged(files, cursor, ends, !(follow && last?.running))) {
      cursor[found.stream] = 'missing' in found ? found.missing.to : found.next;
      yield found;
      if (signal.aborted) return;
    }
    if (!follow) return;
    await pause(lookMilliseconds, undefined, { signal }).catch(() => undefined);
    last = runs.last();
    if (last === 'removed') return;
    ends = sizes(files);
  }
}

/** How far the log was written, once its last line is ended: what follows begins on a line of its own. */
export function finished(files: Streams): LogCursor {
  for (const stream of streams) files[stream].finishLine();
  return sizes(files);
}

function sizes(files: Streams, to?: LogCursor): LogCursor {
  const now = { stdout: files.stdout.look(), stderr: files.stderr.look() };
  if (to === undefined) return now;
  return { stdout: Math.min(to.stdout, now.stdout), stderr: Math.min(to.stderr, now.stderr) };
}

function beginning(files: Streams, start: LogRequest['start'], ends: LogCursor, unfinished: boolean): LogCursor {
  if (start === 'oldest') return { stdout: files.stdout.start, stderr: files.stderr.start };
  if ('from' in start) return { ...start.from };
  const { tail } = start;
  const lasts = { stdout: files.stdout.last(tail, ends.stdout), stderr: files.stderr.last(tail, ends.stderr) };
  const cursor = { stdout: lasts.stdout.from, stderr: lasts.stderr.from };
  // Each stream has that many at most; of both together the oldest are left out.
  let excess = lasts.stdout.count + lasts.stderr.count - tail;
  if (excess <= 0) return cursor;
  for (const found of merged(files, cursor, ends, unfinished)) {
    if ('missing' in found) continue;
    for (const { next } of linesOf({ ...found, at: found.at.getTime() })) {
      cursor[found.stream] = next;
      excess -= 1;
      if (excess === 0) return cursor;
    }
  }
  return cursor;
}

type Found = Run & { stream: LogStream };

/** The lines of both streams in the order of their times. */
function* merged(
  files: Streams,
  from: LogCursor,
  to: LogCursor,
  unfinished: boolean,
): Generator<Found, void, undefined> {
  const waiting = streams.map((stream) => files[stream].runs(from[stream], to[stream], unfinished));
  const heads = waiting.map((each) => each.next().value);
  for (;;) {
    const [out, err] = heads;
    const first = out && (!err || timeOf(out) <= timeOf(err)) ? 0 : 1;
    const head = heads[first];
    const stream = streams[first];
    if (!head || stream === undefined) return;
    yield { ...head, stream };
    heads[first] = waiting[first]?.next().value;
  }
}

/** A gap is told where it is met: in front of all that follows it. */
function timeOf(run: Run): number {
  return 'missing' in run ? 0 : run.at.getTime();
}

const run = promisify(execFile);

/** Whether the beginning of a log can be freed. Tried, because only the file system knows. */
export async function whyNoHoles(places: Places, fallocate: string | undefined): Promise<string | undefined> {
  if (fallocate === undefined) return 'The program fallocate (util-linux) is missing, so logs grow: install it.';
  const probe = join(places.instances, '.probe');
  try {
    writeFileSync(probe, Buffer.alloc(8_192, 'x'));
    await run(fallocate, ['--punch-hole', '--offset', '0', '--length', '4096', probe]);
    return undefined;
  } catch {
    return `The file system of ${places.home} cannot free the beginning of a file, so logs grow.`;
  } finally {
    rmSync(probe, { force: true });
  }
}
