import { Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolConfig, TypeOverrides } from 'pg';
import { returnBrokenConnections } from './broken-connections.ts';
import { prepareHotStatements } from './hot-statements.ts';
import type { Tables } from './tables.ts';

/** The actors and organizations that a committed effect touched: listeners try the outbox and wake the feed. */
export interface Committed {
  actors: string[];
  organizations: string[];
}

export interface Database {
  /** Queries on the pool, each by itself. A change is an effect (db/engine/effect.ts). */
  readonly kysely: Kysely<Tables>;
  /**
   * One connection that is not the pool's, for short reads and writes that holders of the pool's connections wait for.
   * From the pool they would wait for each other: as many as it has connections, each waiting for one more.
   */
  readonly beside: Kysely<Tables>;
  readonly url: string;
  readonly applicationName: string;
  /** Called after each commit of an effect of this process. Returns how to stop that. */
  onCommit(listener: (committed: Committed) => void): () => void;
  reportCommit(committed: Committed): void;
  /** Called when a row contradicts its actor: see projection.ts. Returns how to stop that. */
  onAlarm(listener: (alarm: Alarm) => void): () => void;
  raiseAlarm(alarm: Alarm): void;
  pool(): { total: number; idle: number; waiting: number };
  /** Rejects while the database is away. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Alarm {
  message: string;
  actorId: string;
}

export interface DatabaseOptions {
  url: string;
  /** Seen in `pg_stat_activity`. */
  applicationName: string;
  poolMax: number;
  /** Told when a connection breaks; the pool replaces it by itself. */
  onWarning?: (message: string) => void;
  /** No statement may run longer. Zero: no limit, for migrations. */
  statementTimeoutMillis?: number;
  /** No statement may wait longer for a lock; without it, as long as it may run. */
  lockTimeoutMillis?: number;
}

/** Of API and worker. A statement that waits for a lock holds a connection and, in an effect, the feed. */
export const longestLockWaitMillis = 5_000;
const connectTimeoutMillis = 5_000;
const statementTimeoutMillis = 30_000;
const idleInTransactionTimeoutMillis = 60_000;

/** Opens a pool. Nothing is connected yet: the first query does that, so a process may start before its database. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const pool = poolOf(options, { max: options.poolMax, idleTimeoutMillis: 30_000 });
  prepareHotStatements(pool);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  // Connects at the first query, and closes an idle connection.
  const poolBeside = poolOf(options, { max: 1, idleTimeoutMillis: 10_000, allowExitOnIdle: true });
  const beside = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolBeside }) });
  let closing: Promise<unknown> | undefined;
  const committed = new Set<(committed: Committed) => void>();
  const alarmed = new Set<(alarm: Alarm) => void>();
  return {
    kysely,
    beside,
    url: options.url,
    applicationName: options.applicationName,
    onCommit: (listener) => subscribe(committed, listener),
    reportCommit: (report) => publish(committed, report, options.onWarning),
    onAlarm: (listener) => subscribe(alarmed, listener),
    raiseAlarm: (alarm) => publish(alarmed, alarm, options.onWarning),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    ping: async () => {
      await kysely.selectNoFrom((expression) => expression.lit(1).as('one')).execute();
    },
    close: async () => {
      // Kysely would forget the pool first, and lose a connection that is just being made: the pool waits for it for ever.
      closing ??= Promise.all([poolBeside.end(), pool.end()]);
      await closing;
    },
  };
}

function poolOf(options: DatabaseOptions, limits: Pick<PoolConfig, 'max' | 'idleTimeoutMillis' | 'allowExitOnIdle'>) {
  const pool = new Pool({ connectionString: options.url, ...connectionOptions(options), ...limits });
  returnBrokenConnections(pool);
  // Without a listener, a connection that breaks ends the process: the pool listens while it is idle, nobody while it
  // is in use. The query that it was used for fails by itself.
  const warn = (error: Error): void => options.onWarning?.(`PostgreSQL connection error: ${error.message}`);
  pool.on('connect', (client) => client.on('error', warn));
  pool.on('error', warn);
  return pool;
}

/** How every connection of ours is made, those outside the pool included. */
export function connectionOptions(
  options: Pick<DatabaseOptions, 'applicationName' | 'statementTimeoutMillis' | 'lockTimeoutMillis'>,
) {
  return {
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMillis,
    statement_timeout: options.statementTimeoutMillis ?? statementTimeoutMillis,
    ...(options.lockTimeoutMillis === undefined ? {} : { lock_timeout: options.lockTimeoutMillis }),
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMillis,
    keepAlive: true,
    types: typeParsers(),
  };
}

/** Times are read as what the entities promise, a `Date`. */
function typeParsers(): TypeOverrides {
  const types = new TypeOverrides();
  const timestamptz = 1184;
  types.setTypeParser(timestamptz, (text) => new Date(text));
  return types;
}

function subscribe<T>(listeners: Set<(event: T) => void>, listener: (event: T) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A failing listener must not make a committed effect look undone. */
function publish<T>(listeners: Set<(event: T) => void>, event: T, onWarning?: (message: string) => void): void {
  for (const listener of listeners) {
    try {
      listener(event);
    } catch (error) {
      onWarning?.(`A listener failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
