import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { NewerSchema, NotMigrated, requireSchema } from '../../db/migrations/schema-state.ts';
import { connectionFailure } from '../../db/postgres/connection-failure.ts';
import type { Database } from '../../db/postgres/database.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';
import { NamespaceNotReady } from '../../temporal/connection/prepare-namespace.ts';

/** Waits, for ever if need be, until the database is there and has the schema that this program was written for. */
export async function readyDatabase(database: Database, log: Logger, signal: AbortSignal): Promise<void> {
  await retrying('PostgreSQL', log, signal, () => requireSchema(database));
}

/** Retries until the task succeeds, and logs every half minute what it is waiting for. */
export async function retrying<T>(what: string, log: Logger, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  let told = 0;
  for (let wait = 100; ; wait = Math.min(wait * 2, 2_000)) {
    signal.throwIfAborted();
    try {
      return await task();
    } catch (error) {
      if (error instanceof NewerSchema || signal.aborted) throw error;
      if (Date.now() - told > 30_000) {
        told = Date.now();
        const why = error instanceof Error ? error.message : String(error);
        log.warn(isExpected(error) ? { why } : { err: error }, `Waiting for ${what}`);
      }
    }
    await pause(wait, undefined, { signal });
  }
}

function isExpected(error: unknown): boolean {
  if (error instanceof NotMigrated || error instanceof NamespaceNotReady) return true;
  return connectionFailure(error) || hasStatus(error, 'unavailable', 'deadlineExceeded');
}
