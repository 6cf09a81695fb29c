import { setTimeout as pause } from 'node:timers/promises';
import type { LogLine, LogRequest } from '../../driver.ts';
import type { LogFile, Piece } from './log-file.ts';

export const streams = ['stdout', 'stderr'] as const;
export type Streams = Readonly<Record<(typeof streams)[number], LogFile>>;

/** `alive` says whether a run may still write, and is undefined once the instance is gone. */
export async function* readLogs(
  files: Streams,
  request: LogRequest,
  alive: () => boolean | undefined,
): AsyncGenerator<LogLine, void, undefined> {
  const { signal } = request;
  const ends = streams.map((stream) => files[stream].look());
  const lasts = streams.map((stream, index) => files[stream].last(request.tail, ends[index] ?? 0));
  const available = lasts.reduce((sum, { count }) => sum + count, 0);
  let skip = Math.max(0, available - request.tail);
  const next = lasts.map(({ from }) => from);
  const cut = streams.map(() => false);
  function* read(to: readonly number[], unfinished: boolean): Generator<LogLine, void, undefined> {
    streams.forEach((stream, index) => {
      // The rest of a line that was told before it was finished: what is left of it may be its end only.
      if (cut[index] && files[stream].breaksAt(next[index] ?? 0)) next[index] = (next[index] ?? 0) + 1;
    });
    for (const { next: following, unfinished: open, bytes, ...line } of merged(files, next, to, unfinished)) {
      const index = streams.indexOf(line.stream);
      next[index] = following;
      cut[index] = open;
      if (skip > 0) skip -= 1;
      else yield { ...line, text: bytes.toString('utf8') };
    }
  }

  const running = alive();
  for (const line of read(ends, !(request.follow && running))) {
    if (signal.aborted) return;
    yield line;
  }
  while (request.follow && !signal.aborted) {
    await pause(100, undefined, { signal }).catch(() => undefined);
    // In this order: what ended before it was looked at has written all that it ever will.
    const lives = alive();
    if (lives === undefined || signal.aborted) return;
    const sizes = streams.map((stream) => files[stream].look());
    for (const line of read(sizes, !lives)) {
      if (signal.aborted) return;
      yield line;
    }
  }
}

type Found = Piece & { stream: LogLine['stream']; next: number };

/** The lines of both streams in the order of their times. */
function* merged(
  files: Streams,
  from: readonly number[],
  to: readonly number[],
  unfinished: boolean,
): Generator<Found, void, undefined> {
  const waiting = streams.map((stream, index) => found(files, stream, from[index] ?? 0, to[index] ?? 0, unfinished));
  const heads = waiting.map((each) => each.next().value);
  for (;;) {
    const [out, err] = heads;
    const first = out && (!err || out.at <= err.at) ? 0 : 1;
    const head = heads[first];
    if (!head) return;
    yield head;
    heads[first] = waiting[first]?.next().value;
  }
}

function* found(
  files: Streams,
  stream: LogLine['stream'],
  from: number,
  to: number,
  unfinished: boolean,
): Generator<Found, void, undefined> {
  let before: Piece | undefined;
  const next = (piece: Piece, following?: Piece) =>
    following?.position ?? piece.position + piece.bytes.length + (piece.unfinished ? 0 : 1);
  for (const piece of files[stream].pieces(from, to)) {
    if (before !== undefined) yield { ...before, stream, next: next(before, piece) };
    before = piece;
  }
  if (before === undefined || (before.unfinished && !unfinished)) return;
  yield { ...before, stream, next: next(before) };
}
