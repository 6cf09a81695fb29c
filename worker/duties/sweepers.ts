import type { Logger } from 'pino';
import { sweepReleases, tellAvailableUpdates } from '../../db/agent-updates/agent-releases.ts';
import { declareLost, endForsakenCommands } from '../../db/agents/lost-agents.ts';
import { sweepSources } from '../../db/builds/sources.ts';
import { sweepClusterEvents } from '../../db/clusters/cluster-events.ts';
import { sweepEnrollmentTokens } from '../../db/clusters/enrollment-tokens.ts';
import { sweepCommandOutput, sweepCommands } from '../../db/commands/command-output.ts';
import { sweepStatistics } from '../../db/deployments/statistics.ts';
import { maintainFeedPartitions } from '../../db/engine/feed/feed-partitions.ts';
import { sweepIdempotentAnswers } from '../../db/engine/idempotency.ts';
import { sweepLeases } from '../../db/engine/limits/leases.ts';
import { sweepGitDeliveries } from '../../db/git-connections/pushes.ts';
import { sweepLogReaders } from '../../db/logs/log-readers.ts';
import { emptyNextSlot } from '../../db/logs/log-relay.ts';
import { sweepDeliveries } from '../../db/notification-channels/sweep-deliveries.ts';
import { startForgottenDeliveries } from '../../db/notification-channels/tell-channels.ts';
import { sweepInboxes } from '../../db/notifications/sweep-inboxes.ts';
import type { Database } from '../../db/postgres/database.ts';
import { sweepIdentity } from '../../db/sign-in/sweep-identity.ts';
import { openGate } from '../../domain/gate.ts';
import { alone } from './alone.ts';
import { type Repeated, repeat } from './repeat.ts';

interface Sweeping {
  database: Database;
  log: Logger;
  idempotencyHours: number;
  milliseconds?: number;
  /** How often it is looked for agents that are lost. */
  watchMilliseconds?: number;
}

/** More often than the ring of batches goes round. */
const logsMilliseconds = 30_000;
const minute = 60_000;
const day = 86_400_000;

/**
 * Deletes expired data, creates the feed's next days, and notices agents whose heartbeats have stopped.
 * Whichever worker comes first does it.
 */
export function startSweepers(sweeping: Sweeping): Pick<Repeated, 'stop'> {
  const { database, log, idempotencyHours, milliseconds = 3_600_000, watchMilliseconds = 5_000 } = sweeping;
  const sweeps: [what: string, sweep: (signal: AbortSignal) => Promise<unknown>, every?: number][] = [
    ['Lost agents', () => declareLost(database), watchMilliseconds],
    ['Forsaken commands', () => endForsakenCommands(database), watchMilliseconds],
    ['Deliveries whose turn nobody noticed', () => startForgottenDeliveries(database), watchMilliseconds],
    ['Batches of logs that nobody took', () => emptyNextSlot(database.kysely), logsMilliseconds],
    ['Readers of logs that left', (signal) => sweepLogReaders(database.kysely, signal)],
    ['Output of commands', (signal) => sweepCommandOutput(database.kysely, signal)],
    ['What was sent to channels', (signal) => sweepDeliveries(database, { signal })],
    ['Commands of clusters', (signal) => sweepCommands(database.kysely, signal)],
    ['Updates of agents that became available', () => tellAvailableUpdates(database), minute],
    ['Messages of hosts of repositories', (signal) => sweepGitDeliveries(database.kysely, signal)],
    ['Uploaded sources', (signal) => sweepSources(database.kysely, signal)],
    ['Releases of the agent', () => sweepReleases(database.kysely)],
    ['Old notifications', (signal) => sweepInboxes(database, { signal })],
    ['Enrollment tokens', (signal) => sweepEnrollmentTokens(database.kysely, signal)],
    ['Events of clusters', (signal) => sweepClusterEvents(database.kysely, signal)],
    ['Counters of past deployments', (signal) => sweepStatistics(database.kysely, signal), day],
    ['Partitions of the change feed', () => maintainFeedPartitions(database)],
    ['Stored idempotent answers', (signal) => sweepIdempotentAnswers(database.kysely, idempotencyHours, signal)],
    ['Leases and rate permits', (signal) => sweepLeases(database.kysely, signal)],
    ['Expired sessions and sign-in records', (signal) => sweepIdentity(database.kysely, signal)],
  ];
  // Two in all take a connection each. A long sweep must not keep those waiting that watch for what happens now.
  const lanes = { watching: openGate(1), sweeping: openGate(1) };
  const running = sweeps.map(([what, sweep, every = milliseconds]) => {
    const inLine = every === watchMilliseconds ? lanes.watching : lanes.sweeping;
    return repeat({
      what,
      milliseconds: every,
      jitter: 0.2,
      log,
      async task(signal) {
        await inLine(async () => {
          if (signal.aborted) return;
          await alone(database, what, async () => {
            const swept = await sweep(signal);
            log.debug({ swept }, `${what}: swept`);
          });
        });
      },
    });
  });
  return {
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}
