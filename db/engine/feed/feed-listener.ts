import { Client } from 'pg';
import { connectionOptions, type Database } from '../../postgres/database.ts';
import { type FeedCursor, type FeedEntry, feedChannel, feedHead, heldSeconds, readAhead, readFeed } from './feed.ts';

export interface FeedListenerOptions {
  database: Database;
  onEntries: (entries: FeedEntry[]) => void;
  /** Hints were or may have been missed: readers of these organizations fetch everything again. */
  onResync: (organizationIds: string[] | 'all') => void;
  onWarning?: (message: string) => void;
  pollMillis?: number;
  /** Other channels to listen to, by the same connection. `heard` is called for each after a reconnection, too. */
  beside?: { channels: readonly string[]; heard: (channel: string) => void };
  /** How long an open transaction may hold the feed back before what is behind it is told out of order. */
  patienceSeconds?: number;
}

export interface FeedListenerState {
  /** Whether the connection that listens for NOTIFY is open. The poll continues without it. */
  listening: boolean;
  /** How late the newest entry was read. */
  lagSeconds: number;
  /** How long entries have been held back by an open transaction; 0 when none are. */
  stalledSeconds: number;
  /** When the feed was last read without an error. */
  lastReadAt: Date | undefined;
}

/** So often it is asked, at most, whether an open transaction holds the feed back, while none does. */
const heldMillis = 250;
const pageSize = 1_000;
/** Told at one look ahead of the guard; where there is more, everybody reads again. */
const mostAhead = 10_000;
const longestReconnectMillis = 5_000;
const keptMillis = 23 * 3_600_000;

/** Reads the change feed for its process: woken by NOTIFY, with a poll behind it. One per process. */
export class FeedListener {
  readonly #options: FeedListenerOptions;
  readonly #pollMillis: number;
  readonly #patienceSeconds: number;
  #cursor: FeedCursor | undefined;
  #client: Client | undefined;
  #listenedBefore = false;
  #failing = false;
  #lastRead: number | undefined;
  #lagSeconds = 0;
  #stalledSeconds = 0;
  #askedHeldAt = Number.NEGATIVE_INFINITY;
  /** The snapshot of the last look ahead of the guard. */
  #ahead: string | undefined;
  #closed = false;
  #awake: (() => void) | undefined;
  #woken = false;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: FeedListenerOptions) {
    this.#options = options;
    this.#pollMillis = options.pollMillis ?? 500;
    this.#patienceSeconds = options.patienceSeconds ?? 1;
  }

  /** Starts reading at the feed's end. While the database is away it waits for it. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#running = this.#run();
    void this.#listen(250);
  }

  state(): FeedListenerState {
    return {
      listening: this.#client !== undefined,
      lagSeconds: this.#lagSeconds,
      stalledSeconds: this.#stalledSeconds,
      lastReadAt: this.#lastRead === undefined ? undefined : new Date(this.#lastRead),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnectTimer);
    this.#wake();
    await this.#client?.end().catch(() => undefined);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#readAll();
        if (this.#failing) this.#options.onResync('all');
        this.#failing = false;
        this.#lastRead = Date.now();
      } catch (error) {
        if (!this.#failing) this.#warn('The change feed cannot be read', error);
        this.#failing = true;
      }
      await this.#pause();
    }
  }

  async #readAll(): Promise<void> {
    const { database, onEntries, onResync } = this.#options;
    let cursor = this.#cursor;
    if (cursor === undefined || this.#failing) cursor = await this.#position(cursor);
    if (this.#lastRead !== undefined && Date.now() - this.#lastRead > keptMillis) onResync('all');
    for (let full = true; full && !this.#closed; ) {
      const page = await readFeed(database.kysely, cursor, pageSize, this.#ahead);
      cursor = page.cursor;
      this.#cursor = cursor;
      this.#lagSeconds = page.lagSeconds;
      if (page.entries.length > 0) onEntries(page.entries);
      full = page.full;
    }
    await this.#lookAhead(cursor);
  }

  /** Where to read from. A database that was restored to an older state counts transactions from there again. */
  async #position(cursor: FeedCursor | undefined): Promise<FeedCursor> {
    const head = await feedHead(this.#options.database.kysely);
    if (cursor !== undefined && BigInt(cursor.transactionId) <= BigInt(head.cursor.transactionId)) return cursor;
    this.#cursor = head.cursor;
    this.#ahead = head.snapshot;
    return head.cursor;
  }

  /**
   * Behind a long transaction, wherever it is, nobody waits and nobody reads everything again: what is committed is told
   * at once, and not a second time when the guard gets there. Hints have no order.
   */
  async #lookAhead(cursor: FeedCursor): Promise<void> {
    const { database, onEntries, onResync } = this.#options;
    const now = performance.now();
    if (this.#stalledSeconds === 0 && now - this.#askedHeldAt < heldMillis) return;
    this.#askedHeldAt = now;
    this.#stalledSeconds = await heldSeconds(database.kysely);
    if (this.#stalledSeconds <= this.#patienceSeconds) return;
    const { entries, snapshot, dropped } = await readAhead(database.kysely, cursor, mostAhead, this.#ahead);
    this.#ahead = snapshot;
    if (dropped) onResync('all');
    if (entries.length > 0) onEntries(entries);
  }

  async #listen(retryMillis: number): Promise<void> {
    const { database } = this.#options;
    const client = new Client({ connectionString: database.url, ...connectionOptions(database) });
    let ended = false;
    const again = (): void => {
      if (ended) return;
      ended = true;
      if (this.#client === client) this.#client = undefined;
      client.end().catch(() => undefined);
      if (this.#closed) return;
      const next = Math.min(retryMillis * 2, longestReconnectMillis);
      this.#reconnectTimer = setTimeout(() => void this.#listen(next), retryMillis);
    };
    client.on('error', again);
    client.on('end', again);
    client.on('notification', ({ channel }) => {
      if (channel === feedChannel) this.#wake();
      else this.#options.beside?.heard(channel);
    });
    try {
      await client.connect();
      const { channels = [] } = this.#options.beside ?? {};
      for (const channel of [feedChannel, ...channels]) await client.query(`listen ${channel}`);
    } catch {
      again();
      return;
    }
    if (this.#closed) return again();
    if (ended) return;
    retryMillis = 250;
    this.#client = client;
    if (this.#listenedBefore) this.#options.onResync('all');
    this.#listenedBefore = true;
    this.#wake();
    for (const channel of this.#options.beside?.channels ?? []) this.#options.beside?.heard(channel);
  }

  #wake(): void {
    this.#woken = true;
    this.#awake?.();
  }

  /** Until somebody wakes it or the poll is due. */
  async #pause(): Promise<void> {
    if (!this.#woken && !this.#closed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#pollMillis);
        this.#awake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#awake = undefined;
    }
    this.#woken = false;
  }

  #warn(what: string, error: unknown): void {
    this.#options.onWarning?.(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
