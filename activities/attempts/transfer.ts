import { sql } from 'kysely';
import { cancelCommand, commandView } from '../../db/commands/cluster-commands.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { project } from '../../db/engine/projection.ts';
import type { Database } from '../../db/postgres/database.ts';
import {
  callNext,
  lockTurns,
  refusedTurn,
  type TransferRow,
  type TransferTable,
  transferActors,
} from '../../db/volume-backups/claim.ts';
import { answerTo, rowSays } from '../../db/workflows/actor-rows.ts';
import { type CommandEnded, isCommandOver } from '../../domain/clusters/clusters.ts';
import { type FinalTransferState, type TransferSays, transferSays } from '../../domain/volume-backups/states.ts';
import { actorAuthor } from '../caller.ts';

interface Beginning<Row> {
  /** Why it has to wait although it is its turn, in a sentence. */
  refused?(claiming: Effect, row: Row): Promise<string | undefined>;
  /** Has the agent asked. */
  ask(claiming: Effect, row: Row): Promise<void>;
}

export interface TransferEnding {
  id: string;
  revision: number;
  state: FinalTransferState;
  message: string;
  /** The actor ends with it, whatever the row's revision. */
  lastWord?: boolean;
}

/** The deeds that backups and restores have alike. Each may run twice. */
export function transfers<Row extends TransferRow>(
  database: Database,
  table: TransferTable,
  lock: (locking: Pick<Effect, 'kysely'>, id: string) => Promise<Row | undefined>,
) {
  const kind = transferActors[table];
  return { claim, stop, finish };

  /** Its turn, if it has come: then the agent is asked. Of one that is running, how the agent's part has ended, if it has. */
  async function claim(
    { id, revision }: { id: string; revision: number },
    { refused, ask }: Beginning<Row>,
  ): Promise<TransferSays & { ended: CommandEnded | null }> {
    return await effect(database, actorAuthor(), async (claiming) => {
      await lockTurns(claiming, table, id);
      const row = await lock(claiming, id);
      // Its turn is the next one's.
      if (row?.finished === true) await callNext(claiming, table, row.clusterId);
      if (row === undefined || row.finished || row.revision > revision)
        return { ...transferSays(await rowSays(claiming.kysely, kind, id, revision), revision), ended: null };
      const { state } = row;
      if (state === 'running') return { state, revision: row.revision, ended: await endOfCommand(claiming, row) };
      const message = (await refusedTurn(claiming, table, row)) ?? (await refused?.(claiming, row));
      if (message !== undefined) {
        if (message !== row.message) await set(claiming, row, { message });
        return { state, revision: row.revision, message, ended: null };
      }
      const projection = { state: 'running', revision, set: { message: null } } as const;
      await project(claiming.kysely, kind, id, projection, database.raiseAlarm);
      await set(claiming, row, { started_at: sql<Date>`now()` });
      await ask(claiming, row);
      return { state: 'running', revision, ended: null };
    });
  }

  async function stop(id: string): Promise<void> {
    await effect(database, actorAuthor(), async (stopping) => {
      const row = await lock(stopping, id);
      if (row === undefined) return;
      await cancelCommand(stopping, { id: row.clusterId, organizationId: row.organizationId }, id);
    });
  }

  /** Writes its end, and calls whose turn it is then. `write`: besides, if this is its end. */
  async function finish(
    { id, revision, state, message, lastWord = false }: TransferEnding,
    write: (finishing: Effect, row: Row) => Promise<object>,
  ): Promise<TransferSays> {
    return await effect(database, actorAuthor(), async (finishing) => {
      await lockTurns(finishing, table, id);
      const row = await lock(finishing, id);
      if (row === undefined) return { state: 'cancelled', revision, over: true };
      const last = lastWord ? Math.max(revision, row.revision) : revision;
      const projection = {
        ...{ state, revision: last, finished: true, last: lastWord },
        set: { message: message === '' ? null : message },
      };
      const projected = await project(finishing.kysely, kind, id, projection, database.raiseAlarm);
      await callNext(finishing, table, row.clusterId);
      if (projected.result === 'refused')
        return transferSays(await answerTo(finishing.kysely, kind, id, { state, revision }, projected), row.revision);
      await set(finishing, row, await write(finishing, row));
      return { state, revision: last };
    });
  }

  async function endOfCommand(
    { kysely }: Effect,
    { id, clusterId, organizationId }: Row,
  ): Promise<CommandEnded | null> {
    const command = await commandView(kysely, { id: clusterId, organizationId }, id);
    if (command !== undefined && !isCommandOver(command.state)) return null;
    return { state: command?.state ?? 'failed', message: command?.message ?? null };
  }

  async function set(changing: Effect, { id, organizationId, projectId }: Row, columns: object): Promise<void> {
    if (Object.keys(columns).length > 0)
      await changing.kysely.updateTable(table).set(columns).where('id', '=', id).execute();
    changing.change({ organizationId, projectId, kind: table, id });
  }
}
