import type { ClusterView } from '../../db/clusters/clusters.ts';
import { findInstance } from '../../db/workloads/cluster-instances.ts';
import { Problem } from '../../domain/problems.ts';
import { logsMinor } from '../../protocol/version.ts';
import { refuseWithoutContact } from '../commands/command.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import type { LogTold, Wanted } from './log-reader.ts';
import type { LogReaders } from './log-readers.ts';

/** Reads the log of an instance through its agent. Answers why it ended; `undefined`: read on from the last cursor. */
export async function* readLog(
  server: Pick<ServerParts, 'database' | 'clocks'> & { logReaders: Pick<LogReaders, 'open'> },
  cluster: ClusterView,
  { instance, ...wanted }: Wanted & { instance: string },
  signal: AbortSignal,
): AsyncGenerator<LogTold, { message: string } | undefined, undefined> {
  if ((await findInstance(server.database.kysely, cluster, instance)) === undefined) {
    throw new Problem('not-found', `The agent of "${cluster.name}" sees no such instance.`);
  }
  refuseWithoutContact(cluster);
  if (cluster.agent.protocolMinor < logsMinor) {
    throw new Problem(
      'cluster-not-ready',
      `The agent of the cluster "${cluster.name}" is too old to send logs to this control plane: update it with \`./ballast cluster update\` first.`,
    );
  }
  const leaving = new AbortController();
  const over = AbortSignal.any([signal, leaving.signal]);
  try {
    const reader = await server.logReaders.open(cluster, instance, wanted, over);
    const { logBegins } = server.clocks;
    const ended = yield* reader.read(logBegins, over);
    if (ended === 'silent') {
      return {
        message: `The agent of the cluster "${cluster.name}" did not begin with the log within ${logBegins / 1000} s; try again, or read the agent's own log on its machine.`,
      };
    }
    if (ended === 'old') {
      return {
        message: `The agent of the cluster "${cluster.name}" is too old to read a log backwards: update it with \`./ballast cluster update\` first.`,
      };
    }
    return typeof ended === 'string' ? undefined : ended;
  } finally {
    leaving.abort();
  }
}
