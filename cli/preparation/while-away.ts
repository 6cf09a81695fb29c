import { setTimeout as pause } from 'node:timers/promises';
import { connectionFailure } from '../../db/postgres/connection-failure.ts';
import { messageOf, Refusal } from '../../runtime/supervisor/refusal.ts';

const longest = 60_000;

interface Waiting {
  /** As people know it: `PostgreSQL`. */
  name: string;
  signal: AbortSignal;
  /** Told when it is away, and again with nothing when it is back. */
  onAway: (text: string | undefined) => void;
  /** Whether the failure means that it is away; everything else is thrown at once. */
  isAway?: (error: unknown) => boolean;
}

/** Repeats what was interrupted because a part went away in the middle of it: its supervisor brings it back. */
export async function whileAway<T>(
  { name, signal, onAway, isAway = connectionFailure }: Waiting,
  task: () => Promise<T>,
): Promise<T> {
  let since: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const result = await task();
      if (since !== undefined) onAway(undefined);
      return result;
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
      since ??= performance.now();
      if (performance.now() - since > longest) {
        throw new Refusal(
          `${name} did not come back within ${longest / 1000} s (${messageOf(error)}); look into its log in the home, and start again.`,
        );
      }
      onAway(`${name} is away; waiting for it`);
    }
    await pause(200, undefined, { signal });
  }
}

/** How the programs that prepare Temporal's databases say that PostgreSQL is away. */
const saidByTools =
  /connection re(fused|set)|no such file or directory|starting up|shutting down|terminat|bad connection|EOF/i;

/** Away for us, or for a program that we have run. */
export function postgresIsAway(error: unknown): boolean {
  return connectionFailure(error) || (error instanceof Refusal && saidByTools.test(error.message));
}
