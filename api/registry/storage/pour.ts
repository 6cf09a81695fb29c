import type { Readable, Writable } from 'node:stream';
import { Problem } from '../../../domain/problems.ts';

/**
 * Writes all that comes into the file, as fast as the disk takes it. Ends when the file is closed, however it ended, so
 * that nothing is written any more. What comes is not read to its end after a failure: the client still gets its answer.
 */
export async function pour(
  body: Readable,
  file: Writable,
  onPiece: (piece: Buffer) => Promise<void> | undefined,
  stop?: AbortSignal,
): Promise<void> {
  let failure: Error | undefined;
  file.on('error', (error: Error) => {
    failure = error;
  });
  const closed = new Promise<void>((resolve) => file.once('close', () => resolve()));
  const interrupt = () => body.destroy(stop?.reason);
  stop?.addEventListener('abort', interrupt, { once: true });
  try {
    stop?.throwIfAborted();
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      const checked = onPiece(piece);
      if (checked !== undefined) await checked;
      if (!file.write(piece)) await room(file);
      if (failure !== undefined) break;
    }
  } finally {
    stop?.removeEventListener('abort', interrupt);
    file.end();
    await closed;
  }
  if (failure !== undefined) throw diskFailure(failure);
}

async function room(file: Writable): Promise<void> {
  if (file.destroyed) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      file.off('drain', go);
      file.off('close', go);
      resolve();
    };
    file.on('drain', go);
    file.on('close', go);
  });
}

/** The failure as clients are told it: a disk that is full is `unavailable`, any other stays as it is. */
export function diskFailure(error: unknown): unknown {
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  return isFull ? full() : error;
}

function full(): Problem {
  return new Problem('unavailable', 'The disk of the registry is full; ask the operator of this installation.', {
    retryAfterSeconds: 60,
  });
}
