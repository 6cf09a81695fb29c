import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import type { ClusterRef } from '../../db/clusters/clusters.ts';
import type { Keyring } from '../../db/keys/keys.ts';
import {
  isReader,
  keepReaders,
  readerLeaseSeconds,
  readersByCluster,
  readersOf,
  removeReaders,
} from '../../db/logs/log-readers.ts';
import { relay, relayed, takeRelayed } from '../../db/logs/log-relay.ts';
import type { Database } from '../../db/postgres/database.ts';
import { type LogBatch, logBatch } from '../../protocol/logs.ts';
import type { Bell } from '../agent-link/bell.ts';
import { type LogRange, LogReader } from './log-reader.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    /** Those who read logs in this process. */
    readonly logReaders: LogReaders;
  }
}

/** NOTIFY on these carries no data: one says that readers came or left, the other that batches wait. */
export const readersChannel = 'ballast_log_readers';
export const batchesChannel = 'ballast_log_batches';

const mostReaders = 1_000;
const keepMillis = (readerLeaseSeconds * 1_000) / 4;
/** In case a notification was lost. */
const lookMillis = 1_000;
const notifyMillis = 20;
/** Batches that may wait in the relay for one reader. */
const mostRelayed = 4;
const relayedAgainMillis = 50;
/** So long an agent is kept waiting for a reader that is behind, before it asks again. */
const patienceMillis = 10_000;

interface Parts {
  database: Database;
  keyring: Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;
  bell: Bell;
  log: Logger;
}

/** The readers of this process, and the way of a batch to them from whatever process the agent has reached. */
export class LogReaders {
  readonly #parts: Parts;
  readonly #mine = new Map<string, LogReader>();
  readonly #notifying = new Map<string, NodeJS.Timeout>();
  #keeping: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #taking: Promise<void> | undefined;
  #takeAgain = false;
  #known = new Map<string, string>();
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Opens a reader until the signal is aborted. Its row is all that reading a log writes. */
  async open(cluster: ClusterRef, instance: string, wanted: LogRange, signal: AbortSignal): Promise<LogReader> {
    const reader = new LogReader({ id: uuid(), cluster, instance }, wanted);
    const leave = () => {
      signal.removeEventListener('abort', leave);
      this.#remove(reader);
    };
    this.#mine.set(reader.id, reader);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await keepReaders(this.#parts.database.kysely, [reader.row]);
    } catch (error) {
      leave();
      throw error;
    }
    if (signal.aborted) leave();
    else this.#changed(cluster.id);
    this.#watch();
    return reader;
  }

  /** The readers of a cluster's logs, wherever they are, and a word that changes with them. */
  async of(clusterId: string): Promise<{ revision: string; readers: object[] }> {
    const rows = await readersOf(this.#parts.database.kysely, clusterId, mostReaders);
    // Of those in this process it is known how far they are; rows are some seconds old.
    const readers = rows.map(({ id, instance, wanted }) => ({
      id,
      instance,
      ...(this.#mine.get(id)?.row.wanted ?? wanted),
    }));
    const hash = createHash('sha256').update(rows.map(({ id }) => id).join());
    return { revision: rows.length === 0 ? '' : hash.digest('base64url').slice(0, 22), readers };
  }

  /** Gives a batch to its reader. `undefined`: nobody reads this any more. `false`: the reader is behind. */
  async deliver(cluster: ClusterRef, id: string, batch: LogBatch, signal: AbortSignal): Promise<boolean | undefined> {
    const mine = this.#mine.get(id);
    if (mine !== undefined) {
      if (mine.cluster.id !== cluster.id) return undefined;
      if (!(await mine.room(patienceMillis))) return this.#mine.has(id) ? false : undefined;
      mine.take(batch);
      return true;
    }
    const { kysely } = this.#parts.database;
    const until = performance.now() + patienceMillis;
    for (;;) {
      if (!(await isReader(kysely, cluster, id))) return undefined;
      if ((await relayed(kysely, id)) < mostRelayed) break;
      if (performance.now() > until || signal.aborted || this.#closed) return false;
      await new Promise((resolve) => setTimeout(resolve, relayedAgainMillis));
    }
    await relay(kysely, this.#parts.keyring, cluster, id, JSON.stringify(batch));
    this.#notify(batchesChannel);
    return true;
  }

  /** Another process has said something, or this one has missed it. */
  heard(channel: string): void {
    if (channel === batchesChannel) this.#take();
    else if (channel === readersChannel) void this.#ringChanged().catch((error: unknown) => this.#warn(error));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#keeping);
    clearInterval(this.#looking);
    for (const timer of this.#notifying.values()) clearTimeout(timer);
    const ids = [...this.#mine.keys()];
    for (const reader of this.#mine.values()) reader.close();
    this.#mine.clear();
    await this.#taking;
    await removeReaders(this.#parts.database.kysely, ids).catch(() => undefined);
  }

  #remove(reader: LogReader): void {
    reader.close();
    if (!this.#mine.delete(reader.id)) return;
    this.#watch();
    removeReaders(this.#parts.database.kysely, [reader.id]).then(
      () => this.#changed(reader.cluster.id),
      // Its lease ends soon.
      (error: unknown) => this.#warn(error),
    );
  }

  /** While there are readers their rows are kept, and the relay is looked into. */
  #watch(): void {
    const wanted = this.#mine.size > 0 && !this.#closed;
    if (wanted === (this.#keeping !== undefined)) return;
    clearInterval(this.#keeping);
    clearInterval(this.#looking);
    this.#keeping = wanted ? setInterval(() => this.#keep(), keepMillis) : undefined;
    this.#looking = wanted ? setInterval(() => this.#take(), lookMillis) : undefined;
  }

  #keep(): void {
    const rows = [...this.#mine.values()].map(({ row }) => row);
    keepReaders(this.#parts.database.kysely, rows).then(
      // One that left meanwhile must not come back.
      () => {
        const left = rows.filter(({ id }) => !this.#mine.has(id)).map(({ id }) => id);
        return removeReaders(this.#parts.database.kysely, left);
      },
      (error: unknown) => this.#warn(error),
    );
  }

  #take(): void {
    if (this.#taking !== undefined) {
      this.#takeAgain = true;
      return;
    }
    this.#taking = this.#takeAll()
      .catch((error: unknown) => this.#warn(error))
      .finally(() => {
        this.#taking = undefined;
        if (!this.#takeAgain || this.#closed) return;
        this.#takeAgain = false;
        this.#take();
      });
  }

  async #takeAll(): Promise<void> {
    const { database, keyring } = this.#parts;
    const ids = [...this.#mine.values()].filter(({ hasRoom }) => hasRoom).map(({ id }) => id);
    for (const { readerId, batch } of await takeRelayed(database.kysely, keyring, ids)) {
      this.#mine.get(readerId)?.take(logBatch.parse(JSON.parse(batch)));
    }
  }

  #changed(clusterId: string): void {
    this.#parts.bell.ring(clusterId);
    this.#notify(readersChannel);
  }

  /** Wakes the polls of clusters whose readers are others than a moment ago. */
  async #ringChanged(): Promise<void> {
    const now = await readersByCluster(this.#parts.database.kysely);
    const before = this.#known;
    this.#known = now;
    for (const clusterId of new Set([...before.keys(), ...now.keys()])) {
      if (before.get(clusterId) !== now.get(clusterId)) this.#parts.bell.ring(clusterId);
    }
  }

  /** Many at once become one: each serialises commits. */
  #notify(channel: string): void {
    if (this.#notifying.has(channel) || this.#closed) return;
    const timer = setTimeout(() => {
      this.#notifying.delete(channel);
      sql`select pg_notify(${channel}, '')`.execute(this.#parts.database.kysely).catch(() => {
        // Other processes look by themselves a moment later.
      });
    }, notifyMillis);
    this.#notifying.set(channel, timer);
  }

  #warn(error: unknown): void {
    this.#parts.log.warn({ err: error }, 'Readers of logs');
  }
}
