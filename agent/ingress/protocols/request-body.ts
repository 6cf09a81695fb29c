import type { Readable } from 'node:stream';

const longestPause = 60_000;

class Stalled extends Error {
  readonly code = 'body-stalled';
}

/**
 * A client's body, piece by piece as the instance takes it. Leaving it early does not break the client's connection, so
 * that it can still be told why; a client that sends nothing for a minute has given up.
 */
export async function* requestBody(body: Readable): AsyncGenerator<Buffer, void, undefined> {
  const pieces = body.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await inTime(pieces.next());
      if (next.done) return;
      yield next.value as Buffer;
    }
  } finally {
    // Not waited for: a piece that never comes would hold it up.
    pieces.return?.().catch(() => undefined);
  }
}

async function inTime<T>(piece: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const stall = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Stalled('The body stalled.')), longestPause);
  });
  try {
    return await Promise.race([piece, stall]);
  } finally {
    clearTimeout(timer);
  }
}
