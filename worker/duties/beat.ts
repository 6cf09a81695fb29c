import type { Logger } from 'pino';
import { beat, endProcess } from '../../db/engine/processes/processes.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import { type Repeated, repeat } from './repeat.ts';

interface Beating {
  database: Database;
  id: string;
  version: string;
  state: () => JsonObject;
  log: Logger;
}

/** Writes this process's heartbeat and state to the database; `now` after a change of state. */
export function startBeat({ database, id, version, state, log }: Beating): Pick<Repeated, 'now' | 'stop'> {
  const beating = repeat({
    what: 'Beat of this process',
    milliseconds: 3_000,
    log,
    task: () => beat(database.kysely, { id, kind: 'worker', version, state: state() }),
  });
  return {
    now: beating.now,
    async stop() {
      await beating.stop();
      // Without a database nobody can be told; a process that is silent counts as gone anyway.
      await endProcess(database.kysely, id).catch(() => undefined);
    },
  };
}
