import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine } from '../../test/seeds/seed.ts';
import { actorKinds } from '../../workflows/descriptors.ts';
import { createCluster } from '../clusters/clusters.ts';
import { createOrganization } from '../organizations/organizations.ts';
import type { Tables } from '../postgres/tables.ts';
import { listActors } from '../workflows/actors.ts';
import { effect } from './effect.ts';
import {
  claimEntries,
  delivered,
  dueActors,
  dueOf,
  failed,
  outboxState,
  poisonedAfter,
  poisonedEntries,
} from './outbox.ts';

const organizationId = uuid();
const fresh = await freshDatabase();
afterAll(() => fresh.drop());
beforeEach(() => fresh.database.kysely.deleteFrom('outbox').execute());

async function tell(actor: string, ...messages: string[]): Promise<void> {
  await effect(fresh.database, machine, async (effect) => {
    for (const message of messages) effect.tell({ to: `deletion/${actor}`, message, organizationId, body: {} });
  });
}

/** Takes one entry as a deliverer does, and says what it was. */
async function deliverOne(actor: string, send: (message: string) => Promise<void>): Promise<string> {
  return await fresh.database.kysely.transaction().execute(async (transaction) => {
    const claim = (await claimEntries(transaction, [`deletion/${actor}`], 1)).get(`deletion/${actor}`);
    if (claim === 'busy' || claim === 'later') return claim;
    const [entry] = claim ?? [];
    if (entry === undefined) return 'nothing';
    try {
      await send(entry.message ?? '');
      await delivered(transaction, [entry.id]);
    } catch (error) {
      await failed(transaction, entry, String(error));
    }
    return entry.message ?? '';
  });
}

test('entries of an actor are claimed in order, one at a time', async () => {
  await tell('a', 'one', 'two');
  await tell('a', 'three');
  const heard: string[] = [];
  const hear = async (message: string): Promise<void> => void heard.push(message);
  while ((await deliverOne('a', hear)) !== 'nothing');
  expect(heard).toEqual(['one', 'two', 'three']);
});

test('while one claimer works, another one is told that the actor is busy, and others go on', async () => {
  await tell('a', 'one', 'two');
  await tell('b', 'other');
  let second = '';
  let other = '';
  await deliverOne('a', async () => {
    second = await deliverOne('a', async () => undefined);
    other = await deliverOne('b', async () => undefined);
  });
  expect(second).toBe('busy');
  expect(other).toBe('other');
});

test('two claimers that race deliver everything once and in order', async () => {
  const messages = Array.from({ length: 40 }, (_, n) => `${n}`);
  await tell('a', ...messages);
  const heard: string[] = [];
  const claimer = async (): Promise<void> => {
    while ((await deliverOne('a', async (message) => void heard.push(message))) !== 'nothing');
  };
  await Promise.all([claimer(), claimer(), claimer()]);
  expect(heard).toEqual(messages);
});

test('the entries of several actors are claimed together, each in order and no more than its turn', async () => {
  await tell('a', 'one', 'two', 'three');
  await tell('b', 'other');
  const { kysely } = fresh.database;
  await kysely.transaction().execute(async (transaction) => {
    expect((await claimEntries(transaction, ['deletion/b'], 2)).get('deletion/b')).toHaveLength(1);
    await kysely.transaction().execute(async (second) => {
      const claims = await claimEntries(second, ['deletion/b', 'deletion/a', 'deletion/c'], 2);
      const messages = [...claims].map(([actor, claim]) => [
        actor,
        typeof claim === 'string' ? claim : claim.map(({ message }) => message),
      ]);
      expect(Object.fromEntries(messages)).toEqual({
        'deletion/a': ['one', 'two'],
        'deletion/b': 'busy',
        'deletion/c': [],
      });
    });
  });
});

test('a delivery in progress does not hold the change feed back: it has no transaction id', async () => {
  await tell('a', 'one');
  await fresh.database.kysely.transaction().execute(async (transaction) => {
    expect((await claimEntries(transaction, ['deletion/a'], 9)).get('deletion/a')).toMatchObject([{ message: 'one' }]);
    const { rows } = await sql<{ id: string | null }>`select pg_current_xact_id_if_assigned()::text as id`.execute(
      transaction,
    );
    expect(rows).toEqual([{ id: null }]);
  });
});

test('a failed entry waits and holds back only its own actor', async () => {
  await tell('a', 'one', 'two');
  await tell('b', 'other');
  await deliverOne('a', () => Promise.reject(new Error('Temporal is away\0')));
  expect(await deliverOne('a', async () => undefined)).toBe('later');
  expect((await dueActors(fresh.database.kysely, 10)).actors).toEqual(['deletion/b']);
  const rows = await fresh.database.kysely.selectFrom('outbox').selectAll().orderBy('id').execute();
  expect(rows[0]).toMatchObject({ attempts: 1, last_error: 'Error: Temporal is away' });
  expect(rows[1]).toMatchObject({ attempts: 0 });
});

test('the pauses double up to a minute, and the tenth failure poisons', async () => {
  await tell('a', 'one');
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= poisonedAfter; attempt += 1) {
    await sql`update outbox set next_attempt_at = now() - interval '1 second'`.execute(fresh.database.kysely);
    expect((await outboxState(fresh.database.kysely)).poisoned).toEqual([]);
    await deliverOne('a', () => Promise.reject(new Error('no')));
    const { rows } = await sql<{ pause: number }>`
      select round(extract(epoch from next_attempt_at - clock_timestamp()))::int as pause from outbox
    `.execute(fresh.database.kysely);
    pauses.push(rows[0]?.pause ?? 0);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
  const state = await outboxState(fresh.database.kysely);
  expect(state.depth).toBe(1);
  expect(state.poisoned).toMatchObject([{ actorId: 'deletion/a', attempts: 10, lastError: 'Error: no' }]);
});

/** A hundred thousand entries behind one that is not due, as when an actor cannot be told anything. */
async function blocked(actor: string): Promise<void> {
  await sql`
    insert into outbox (actor_id, organization_id, kind, message, body, author, next_attempt_at)
    select ${`deletion/${actor}`}, ${organizationId}, 'message', 'm', '{}', '{}',
           case when n = 1 then now() + interval '1 hour' else now() - interval '1 hour' end
    from generate_series(1, 100000) n
  `.execute(fresh.database.kysely);
}

/** How many rows of the outbox that work looks at. */
async function rowsReadBy(work: (kysely: Kysely<Tables>) => Promise<unknown>): Promise<number> {
  return await fresh.database.kysely.transaction().execute(async (transaction) => {
    const read = async (): Promise<number> => {
      const { rows } = await sql<{ read: number }>`
        select (seq_tup_read + idx_tup_fetch)::float8 as read from pg_stat_xact_user_tables where relname = 'outbox'
      `.execute(transaction);
      return rows[0]?.read ?? 0;
    };
    const before = await read();
    await work(transaction);
    return (await read()) - before;
  });
}

test('a hundred thousand entries behind one blocked actor are not looked at', async () => {
  const { kysely } = fresh.database;
  await blocked('a');
  await tell('b', 'one');
  await tell('c', 'one');
  const { actors, nextMilliseconds } = await dueActors(kysely, 10);
  expect(actors).toEqual(['deletion/b', 'deletion/c']);
  expect(nextMilliseconds).toBeGreaterThan(0);
  expect(await rowsReadBy((transaction) => dueActors(transaction, 10))).toBeLessThan(10);
  expect(await rowsReadBy((transaction) => claimEntries(transaction, actors, 50))).toBeLessThan(10);
  expect(await rowsReadBy((transaction) => claimEntries(transaction, ['deletion/a'], 50))).toBeLessThan(10);
  expect(await dueOf(kysely, ['deletion/a', ...actors])).toEqual(actors);
  expect(await rowsReadBy((transaction) => dueOf(transaction, ['deletion/a']))).toBeLessThan(10);
  expect(await rowsReadBy((transaction) => poisonedEntries(transaction))).toBe(0);
});

test('a list of actors looks at the oldest entry of each, and not at those behind it', async () => {
  const { kysely } = fresh.database;
  const cluster = await effect(fresh.database, machine, async (creating) => {
    const organization = await createOrganization(creating, { name: 'Acme', slug: `acme-${uuid()}` });
    const { id } = await createCluster(creating, { organizationId: organization.id, name: 'Far' });
    return { id, organizationId: organization.id };
  });
  await sql`
    insert into outbox (actor_id, organization_id, kind, message, body, author, created_at)
    select ${`cluster/${cluster.id}`}, ${cluster.organizationId}, 'message', 'm', '{}', '{}', now() - interval '1 hour'
    from generate_series(1, 1000) n
  `.execute(kysely);
  await sql`update outbox set created_at = now() - interval '1 hour'`.execute(kysely);
  expect(await listActors(kysely, cluster.organizationId, { kinds: actorKinds, limit: 10 })).toMatchObject([
    { id: cluster.id, stuck: true, delay: 'undelivered' },
  ]);
  const listing = (transaction: Kysely<Tables>) =>
    listActors(transaction, cluster.organizationId, { kinds: actorKinds, limit: 10 });
  expect(await rowsReadBy(listing)).toBeLessThan(10);
});
