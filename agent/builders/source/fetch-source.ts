import { SpreadBackOff } from '../../link/back-off.ts';
import type { Client } from '../../link/client.ts';
import { isAway, LinkFailure } from '../../link/link-failure.ts';
import { pause } from '../../link/pause.ts';
import { Refusal } from '../../program/refusal.ts';
import { type SourceLimits, unpackSource } from './unpack-source.ts';

const mostFailures = 8;

/**
 * Has the source of a build in the directory. What breaks on the way is fetched again, from the beginning. A control plane that is away is
 * waited for as long as the build has time.
 */
export async function fetchSource(
  client: Pick<Client, 'source'>,
  id: string,
  directory: string,
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<{ files: number; bytes: number }> {
  const backOff = new SpreadBackOff();
  for (let failures = 0; ; ) {
    try {
      return await unpackSource(await client.source(id, signal), directory, limits, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isAway(error)) failures += 1;
      if (failures === mostFailures || !mayPass(error)) throw error;
      await pause(backOff.next(error instanceof LinkFailure ? error.retryAfterMillis : undefined), signal);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof Refusal) return false;
  if (error instanceof LinkFailure) return error.kind === 'unreachable';
  // Of the disk: there is no space, say.
  return !(error instanceof Error && 'syscall' in error && 'path' in error);
}
