import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../postgres/database.ts';

const writeEveryMillis = 60_000;
const batch = 1_000;

/**
 * When tokens, sessions and memberships were last used: kept in memory and written together, so that a request costs no
 * write. Each is written at most once a minute, and what a crash loses is a minute of it.
 */
export class LastUsed {
  readonly #database: Database;
  readonly #timer: NodeJS.Timeout;
  #tokens = new Map<string, Date>();
  #sessions = new Map<string, Date>();
  /** By organization and user, `<id> <id>`. */
  #memberships = new Map<string, Date>();
  #writing: Promise<void> | undefined;

  constructor(database: Database, everyMillis = writeEveryMillis) {
    this.#database = database;
    this.#timer = setInterval(() => void this.write().catch(() => undefined), everyMillis);
    this.#timer.unref();
  }

  touch(tokenRowId: string): void {
    this.#tokens.set(tokenRowId, new Date());
  }

  /** `soon`: it would end for idleness before long, so its new end is written at once. */
  touchSession(id: string, soon: boolean): void {
    this.#sessions.set(id, new Date());
    if (soon)
      this.#writing ??= this.write()
        .catch(() => undefined)
        .finally(() => (this.#writing = undefined));
  }

  touchMembership(organizationId: string, userId: string): void {
    this.#memberships.set(`${organizationId} ${userId}`, new Date());
  }

  /** Writes what has gathered. What cannot be written is tried again the next time. */
  async write(): Promise<void> {
    const [tokens, sessions, memberships] = [this.#tokens, this.#sessions, this.#memberships];
    this.#tokens = new Map();
    this.#sessions = new Map();
    this.#memberships = new Map();
    const failures = [
      await this.#written(tokens, this.#tokens, tokensUsed),
      await this.#written(sessions, this.#sessions, sessionsUsed),
      await this.#written(memberships, this.#memberships, membershipsUsed),
    ];
    const failure = failures.find((one) => one !== undefined);
    if (failure !== undefined) throw failure.error;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.write().catch(() => undefined);
  }

  async #written(
    used: Map<string, Date>,
    later: Map<string, Date>,
    statement: (keys: string[], times: string[]) => RawBuilder<unknown>,
  ): Promise<{ error: unknown } | undefined> {
    const entries = [...used];
    for (let start = 0; start < entries.length; start += batch) {
      const part = entries.slice(start, start + batch);
      try {
        const keys = part.map(([key]) => key);
        await statement(
          keys,
          part.map(([, at]) => at.toISOString()),
        ).execute(this.#database.kysely);
      } catch (error) {
        for (const [key, at] of entries.slice(start)) if (!later.has(key)) later.set(key, at);
        return { error };
      }
    }
    return undefined;
  }
}

const tokensUsed = (ids: string[], times: string[]) => sql`
  /* across tenants */ update api_token set last_used_at = greatest(last_used_at, least(used.at, now()))
  from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
  where api_token.id = used.id`;

/** One that has ended meanwhile stays ended. */
const sessionsUsed = (ids: string[], times: string[]) => sql`
  update session
  set idle_expires_at = greatest(idle_expires_at, least(used.at, now()) + make_interval(secs => idle_seconds))
  from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
  where session.id = used.id and session.idle_seconds is not null and session.ended_at is null`;

const membershipsUsed = (keys: string[], times: string[]) => {
  const pairs = keys.map((key) => key.split(' '));
  return sql`
  update membership set last_active_at = greatest(last_active_at, least(used.at, now()))
  from unnest(${pairs.map(([id]) => id)}::uuid[], ${pairs.map(([, id]) => id)}::uuid[], ${times}::timestamptz[])
    as used (organization_id, user_id, at)
  where membership.organization_id = used.organization_id and membership.user_id = used.user_id`;
};
