import { sql } from 'kysely';
import type { Database } from './database.ts';

const writeEveryMillis = 60_000;
const batch = 1_000;

/**
 * When tokens were last used: kept in memory and written together, so that a request costs no write. A token's time is
 * written at most once a minute, and what a crash loses is a minute of it.
 */
export class LastUsed {
  readonly #database: Database;
  readonly #timer: NodeJS.Timeout;
  #used = new Map<string, Date>();

  constructor(database: Database, everyMillis = writeEveryMillis) {
    this.#database = database;
    this.#timer = setInterval(() => void this.write().catch(() => undefined), everyMillis);
    this.#timer.unref();
  }

  touch(tokenRowId: string): void {
    this.#used.set(tokenRowId, new Date());
  }

  /** Writes what has gathered. What cannot be written is tried again the next time. */
  async write(): Promise<void> {
    const used = this.#used;
    this.#used = new Map();
    const entries = [...used];
    for (let start = 0; start < entries.length; start += batch) {
      const part = entries.slice(start, start + batch);
      try {
        await sql`
          update api_token set last_used_at = greatest(last_used_at, least(used.at, now()))
          from unnest(${part.map(([id]) => id)}::uuid[], ${part.map(([, at]) => at.toISOString())}::timestamptz[])
            as used (id, at)
          where api_token.id = used.id
        `.execute(this.#database.kysely);
      } catch (error) {
        for (const [id, at] of entries.slice(start)) if (!this.#used.has(id)) this.#used.set(id, at);
        throw error;
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write().catch(() => undefined);
  }
}
