import type { Readable } from 'node:stream';
import type { Limits } from '../requests/client-limits.ts';

class Stalled extends Error {
  readonly code = 'body-stalled';
}

/**
 * A client's body, piece by piece as the instance takes it. Leaving it early does not break the client's connection, so
 * that it can still be told why. A client that sends nothing for long has given up, and one that sends almost nothing would
 * hold the instance for ever; where the answer has begun, instance and client talk as slowly as they like.
 */
export async function* requestBody(
  body: Readable,
  limits: Limits,
  answered: () => boolean,
): AsyncGenerator<Buffer, void, undefined> {
  const pieces = body.iterator({ destroyOnReturn: false });
  const since = performance.now();
  let bytes = 0;
  try {
    for (;;) {
      const due = since + limits.bodyGrace + (bytes * 1000) / limits.bodyBytesPerSecond;
      const next = await inTime(pieces.next(), limits.bodyPause, due, answered);
      if (next.done) return;
      const piece = next.value as Buffer;
      bytes += piece.length;
      yield piece;
    }
  } finally {
    // Not waited for: a piece that never comes would hold it up.
    pieces.return?.().catch(() => undefined);
  }
}

async function inTime<T>(piece: Promise<T>, pause: number, due: number, answered: () => boolean): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const began = performance.now();
  const stall = new Promise<never>((_, reject) => {
    const look = (): void => {
      const end = Math.min(began + pause, answered() ? Number.POSITIVE_INFINITY : due);
      const left = end - performance.now();
      if (left <= 0) reject(new Stalled('The body stalled.'));
      else timer = setTimeout(look, left);
    };
    look();
  });
  stall.catch(() => undefined);
  try {
    return await Promise.race([piece, stall]);
  } finally {
    clearTimeout(timer);
  }
}
