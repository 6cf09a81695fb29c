import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { NewerSchema, NotMigrated, requireSchema } from '../migrations/schema-state.ts';
import { connectionFailure } from '../postgres/connection-failure.ts';
import type { Database } from '../postgres/database.ts';
import { beat, type LivingProcess } from './processes/processes.ts';

const beatMillis = 5_000;
const retryMillis = 250;

interface Attending {
  database: Database;
  process: Pick<LivingProcess, 'id' | 'kind' | 'version' | 'state'>;
  /** The rest of what the process needs of its database. It may throw, and is asked again. */
  open: () => Promise<void>;
  /** After each beat that was told. */
  onBeat?: () => void;
  log: Logger;
  signal: AbortSignal;
}

export interface Attendance {
  /** Whether the last beat was told. */
  there(): boolean;
  /** Ends with the signal; rejects when a newer version has migrated the database. */
  ended: Promise<void>;
}

/** Keeps a process known among the living while its database is there, and waits for it, for ever if need be, while not. */
export function attend(attending: Attending): Attendance {
  let why: string | undefined = 'not asked yet';
  return { there: () => why === undefined, ended: attendUntilTold() };

  async function attendUntilTold(): Promise<void> {
    const { database, process, open, onBeat, log, signal } = attending;
    while (!signal.aborted) {
      const before = why;
      try {
        await requireSchema(database);
        await open();
        await beat(database.kysely, process);
        why = undefined;
        if (before !== undefined) log.info('The database is there');
        onBeat?.();
      } catch (error) {
        if (error instanceof NewerSchema) throw error;
        why = error instanceof Error ? error.message : String(error);
        const expected = error instanceof NotMigrated || connectionFailure(error);
        if (why !== before) log.warn(expected ? { why } : { err: error }, 'Waiting for the database');
      }
      await pause(why === undefined ? beatMillis : retryMillis, undefined, { signal }).catch(() => undefined);
    }
  }
}
