import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/ground/fresh-database.ts';
import { until } from '../../../test/ground/until.ts';
import { machine } from '../../../test/seeds/seed.ts';
import { effect } from '../effect.ts';
import { appendToFeed, type FeedEntry } from './feed.ts';
import { FeedListener, type FeedListenerOptions } from './feed-listener.ts';
import { pokeReaders } from './poke-readers.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

const organizationId = uuid();
const listeners: FeedListener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

async function listen(options: Partial<FeedListenerOptions> = {}) {
  const entries: FeedEntry[] = [];
  const resyncs: (string[] | 'all')[] = [];
  const listener = new FeedListener({
    database: fresh.database,
    onEntries: (read) => entries.push(...read),
    onResync: (organizations) => resyncs.push(organizations),
    ...options,
  });
  listeners.push(listener);
  listener.start();
  await until(
    'it listens and reads',
    async () => listener.state().listening && listener.state().lastReadAt !== undefined,
  );
  return { listener, entries, resyncs };
}

async function change(id: string): Promise<void> {
  await appendToFeed(fresh.database.kysely, [{ organizationId, kind: 'team', id }]);
}

test('a commit wakes the listeners of all processes, long before their polls', async () => {
  const one = await listen({ pollMillis: 600_000 });
  const two = await listen({ pollMillis: 600_000 });
  const stop = pokeReaders(fresh.database);
  const poked = () =>
    effect(fresh.database, machine, async (one) => one.change({ organizationId, kind: 'team', id: 'poked' }));
  await poked();
  await until('both are told', async () => {
    // Another database's open transaction may hold the entry back for a moment, which a second poke gets over.
    await poked();
    return one.entries.length > 0 && two.entries.length > 0;
  });
  stop();
  for (const { entries } of [one, two]) expect(new Set(entries.map(({ id }) => id))).toEqual(new Set(['poked']));
  expect(one.resyncs).toEqual([]);
});

test('without a poke the poll finds it', async () => {
  const { entries } = await listen({ pollMillis: 20 });
  await change('polled');
  await until('it is told', async () => entries.length > 0);
  expect(entries.map(({ id }) => id)).toEqual(['polled']);
});

test('a listener whose connections were killed goes on by itself and asks for a resync', async () => {
  const { listener, entries, resyncs } = await listen({ pollMillis: 50 });
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
  `.execute(fresh.database.kysely);
  await until('a resync', async () => resyncs.includes('all'));
  await until('it listens again', async () => listener.state().listening);
  await change('after');
  await until('it is told', async () => entries.length > 0);
  expect(entries.map(({ id }) => id)).toEqual(['after']);
});

test('behind a long transaction elsewhere changes are told all the same, each once, and nobody reads everything again', async () => {
  const { listener, entries, resyncs } = await listen({ pollMillis: 20, patienceSeconds: 0.2 });
  const told = () => entries.map(({ id }) => id);
  const blocking = await fresh.database.kysely.startTransaction().execute();
  await appendToFeed(blocking, [{ organizationId, kind: 'team', id: 'of the long one' }]);
  try {
    await change('held');
    await until('it is told ahead', async () => told().length > 0);
    expect(listener.state().stalledSeconds).toBeGreaterThan(0.1);
    for (const id of ['second', 'third']) {
      await change(id);
      await until(`the ${id}`, async () => told().includes(id));
    }
  } finally {
    await blocking.commit().execute();
  }
  await until('the long one', async () => told().includes('of the long one'));
  await until('nothing holds it back', async () => listener.state().stalledSeconds === 0);
  await change('after');
  await until('what came after', async () => told().includes('after'));
  expect(told()).toEqual(['held', 'second', 'third', 'of the long one', 'after']);
  expect(resyncs).toEqual([]);
});

test('a closed listener stops', async () => {
  const { listener, entries } = await listen({ pollMillis: 10 });
  await listener.close();
  await change('late');
  expect(listener.state().listening).toBe(false);
  expect(entries).toEqual([]);
});
