import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/ground/fresh-database.ts';
import { appendToFeed, type FeedEntry } from './feed.ts';
import { FeedListener, type FeedListenerOptions } from './feed-listener.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
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
  await vi.waitFor(() => {
    expect(listener.state()).toMatchObject({ listening: true });
    expect(listener.state().lastReadAt).toBeDefined();
  });
  return { listener, entries, resyncs };
}

async function change(id: string): Promise<void> {
  await appendToFeed(fresh.database.kysely, [{ organizationId, kind: 'team', id }]);
}

const patient = { timeout: 15_000 };

test('a poke wakes the listeners of all processes, long before their polls', async () => {
  const one = await listen({ pollMillis: 600_000 });
  const two = await listen({ pollMillis: 600_000 });
  await change('poked');
  one.listener.poke();
  one.listener.poke();
  await vi.waitFor(() => {
    // Another database's open transaction may hold the entry back for a moment, which a second poke gets over.
    one.listener.poke();
    expect(one.entries.map(({ id }) => id)).toEqual(['poked']);
    expect(two.entries.map(({ id }) => id)).toEqual(['poked']);
  }, patient);
  expect(one.resyncs).toEqual([]);
});

test('without a poke the poll finds it', async () => {
  const { entries } = await listen({ pollMillis: 20 });
  await change('polled');
  await vi.waitFor(() => expect(entries.map(({ id }) => id)).toEqual(['polled']), patient);
});

test('a listener whose connections were killed goes on by itself and asks for a resync', async () => {
  const { listener, entries, resyncs } = await listen({ pollMillis: 50 });
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
  `.execute(fresh.database.kysely);
  await vi.waitFor(() => expect(resyncs).toContain('all'), patient);
  await vi.waitFor(() => expect(listener.state().listening).toBe(true), patient);
  await change('after');
  await vi.waitFor(() => expect(entries.map(({ id }) => id)).toEqual(['after']), patient);
});

test('behind a long transaction elsewhere changes are told all the same, each once, and nobody reads everything again', async () => {
  const { listener, entries, resyncs } = await listen({ pollMillis: 20, patienceSeconds: 0.2 });
  const told = () => entries.map(({ id }) => id);
  const blocking = await fresh.database.kysely.startTransaction().execute();
  await appendToFeed(blocking, [{ organizationId, kind: 'team', id: 'of the long one' }]);
  try {
    await change('held');
    await vi.waitFor(() => expect(told()).toEqual(['held']), patient);
    expect(listener.state().stalledSeconds).toBeGreaterThan(0.1);
    for (const id of ['second', 'third']) {
      await change(id);
      await vi.waitFor(() => expect(told()).toContain(id), patient);
    }
  } finally {
    await blocking.commit().execute();
  }
  await vi.waitFor(() => expect(told()).toContain('of the long one'), patient);
  await vi.waitFor(() => expect(listener.state().stalledSeconds).toBe(0), patient);
  await change('after');
  await vi.waitFor(() => expect(told()).toContain('after'), patient);
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
