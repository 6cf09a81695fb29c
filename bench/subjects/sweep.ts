import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { FeedListener } from '../../db/engine/feed/feed-listener.ts';
import { pokeReaders } from '../../db/engine/feed/poke-readers.ts';
import { sweepIdempotentAnswers } from '../../db/engine/idempotency.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Benchmark, Opened } from '../engine/benchmark.ts';
import { openGround } from '../ground/ground.ts';
import { asBench, seedTeams } from '../ground/seed.ts';

const count = 1_000_000;
/** As many rows as one statement inserts. */
const together = 20_000;
/** One change so often, and so many without a sweep. */
const everyMillis = 100;
const changesWithout = 100;

const row = `longest time until a change is reported while ${count} rows are swept`;

/** The same feed without a sweep and with one. It is the figure that is judged, not its ratio. */
export const sweep: Benchmark = {
  name: 'sweep',
  what: `how late changes are reported while ${count} expired rows are deleted`,
  rows: [{ name: row, unit: 'ms', better: 'less', mostBeside: () => 2_000 }],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const { database } = opening.use(await openGround());
  const { organizationId } = await seedTeams(database);
  const reported = new Map<string, () => void>();
  const listener = new FeedListener({
    database,
    onEntries: (entries) => {
      for (const { id } of entries) reported.get(id)?.();
    },
    onResync: () => undefined,
  });
  listener.start();
  opening.defer(() => listener.close());
  opening.defer(pokeReaders(database));
  const opened = opening.move();

  /** Commits a change and waits for its hint. */
  async function change(): Promise<number> {
    const id = uuid();
    const { promise, resolve } = Promise.withResolvers<void>();
    reported.set(id, resolve);
    const began = performance.now();
    await asBench(database, async (running) => running.change({ organizationId, kind: 'team', id }));
    await promise;
    reported.delete(id);
    return performance.now() - began;
  }

  async function slowest(more: (changes: number) => boolean): Promise<number> {
    const changes: Promise<number>[] = [];
    while (more(changes.length)) {
      changes.push(change());
      await pause(everyMillis);
    }
    return Math.max(...(await Promise.all(changes)));
  }

  return {
    async reference() {
      return { [row]: await slowest((changes) => changes < changesWithout) };
    },
    async subject() {
      await expire(database);
      let sweeping = true;
      const swept = sweepIdempotentAnswers(database.kysely, 24).finally(() => {
        sweeping = false;
      });
      const measured = await slowest(() => sweeping);
      if ((await swept) !== count) throw new Error('The sweep left rows.');
      return { [row]: measured };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function expire({ kysely }: Database): Promise<void> {
  for (let from = 0; from < count; from += together) {
    await sql`
      insert into idempotent_answer (credential_id, operation, key, request_hash, status, body, created_at)
      select 'token', 'teams.create', n::text, '\\x00', 201, repeat('x', 200), now() - interval '2 days'
      from generate_series(${from}::int + 1, ${from + together}::int) n
    `.execute(kysely);
  }
}
