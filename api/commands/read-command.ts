import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterRef } from '../../db/clusters/clusters.ts';
import { type CommandView, commandView } from '../../db/commands/cluster-commands.ts';
import { type OutputView, readOutput } from '../../db/commands/command-output.ts';
import { isCommandOver } from '../../domain/clusters/commands.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

const shortestPause = 100;
const longestPause = 1_000;
const page = 200;

/** The output after a piece, as it comes, and the result at the end. Stops when the signal says so. */
export async function* readCommand(
  { database: { kysely }, keyring }: Pick<ServerParts, 'database' | 'keyring'>,
  cluster: ClusterRef,
  { id, after }: { id: string; after: number },
  signal: AbortSignal,
): AsyncGenerator<{ piece: OutputView } | { ended: CommandView }, void, undefined> {
  let wait = shortestPause;
  let last = after;
  while (!signal.aborted) {
    // The state is read first: all output from before its end is there by then.
    const command = await commandView(kysely, cluster, id);
    const pieces = await readOutput(kysely, keyring, { id, organizationId: cluster.organizationId }, last, page);
    for (const piece of pieces) yield { piece };
    last = pieces.at(-1)?.number ?? last;
    if (pieces.length === page) continue;
    if (command === undefined) return;
    if (isCommandOver(command.state)) {
      yield { ended: command };
      return;
    }
    wait = pieces.length > 0 ? shortestPause : Math.min(wait * 1.5, longestPause);
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}
