import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { maintainFeedPartitions } from '../db/feed-partitions.ts';
import { sweepIdempotentAnswers } from '../db/idempotency.ts';
import { sweepLeases } from '../db/leases.ts';
import { sweepIdentity } from '../db/sweep-identity.ts';
import { alone } from './alone.ts';
import { type Repeated, repeat } from './repeat.ts';

interface Sweeping {
  database: Database;
  log: Logger;
  idempotencyHours: number;
  milliseconds?: number;
}

/** Throws away what has had its time, and makes the feed's next days. Whichever worker comes first does it. */
export function startSweepers(sweeping: Sweeping): Pick<Repeated, 'stop'> {
  const { database, log, idempotencyHours, milliseconds = 3_600_000 } = sweeping;
  const sweeps: [what: string, sweep: () => Promise<unknown>][] = [
    ['Partitions of the change feed', () => maintainFeedPartitions(database)],
    ['Stored idempotent answers', () => sweepIdempotentAnswers(database.kysely, idempotencyHours)],
    ['Leases and rate permits', () => sweepLeases(database.kysely)],
    ['What signing in leaves behind', () => sweepIdentity(database.kysely)],
  ];
  const running = sweeps.map(([what, sweep]) =>
    repeat({
      what,
      milliseconds,
      jitter: 0.2,
      log,
      async task() {
        await alone(database, what, async () => {
          const swept = await sweep();
          log.debug({ swept }, `${what}: swept`);
        });
      },
    }),
  );
  return {
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}
