import { EventEmitter } from 'node:events';
import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { hotFrom, plannedEachTime, prepareHotStatements } from './hot-statements.ts';
import type { Tables } from './tables.ts';

// Prepared statements belong to a connection.
const fresh = await freshDatabase({ poolMax: 1 });
await sql`create table thing (id int, name text)`.execute(fresh.database.kysely);
afterAll(() => fresh.drop());

async function ask(times: number, statement: (kysely: Kysely<Tables>) => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time += 1) await statement(fresh.database.kysely);
}

async function isPrepared(part: string): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_prepared_statements where strpos(statement, ${part}) > 0`.execute(
    fresh.database.kysely,
  );
  return rows.length > 0;
}

test('a statement is prepared when it was asked often, and answers the same', async () => {
  const one = (kysely: Kysely<Tables>) => sql`select id as often from thing where name = ${'a'}`.execute(kysely);
  await ask(hotFrom - 1, one);
  expect(await isPrepared('as often')).toBe(false);
  await sql`insert into thing values (1, 'a')`.execute(fresh.database.kysely);
  for (let time = 0; time < 10; time += 1) {
    expect((await sql`select id as often from thing where name = ${'a'}`.execute(fresh.database.kysely)).rows).toEqual([
      { often: 1 },
    ]);
  }
  expect(await isPrepared('as often')).toBe(true);
});

test('one that answers all columns is not prepared, since a migration may add one', async () => {
  await ask(hotFrom * 2, (kysely) => sql`select * from thing as of_all`.execute(kysely));
  await ask(hotFrom * 2, (kysely) => sql`select of_one.*, 1 as one from thing as of_one`.execute(kysely));
  await ask(hotFrom * 2, (kysely) => sql`update thing as changed set id = 1 returning *`.execute(kysely));
  await ask(hotFrom * 2, (kysely) => sql`select count(*) as of_count from thing`.execute(kysely));
  for (const part of ['of_all', 'of_one', 'as changed']) expect(await isPrepared(part)).toBe(false);
  expect(await isPrepared('of_count')).toBe(true);
});

test('one that is to be planned each time is not prepared', async () => {
  const each = sql.raw(plannedEachTime);
  await ask(hotFrom * 2, (kysely) => sql`${each} select count(*) as of_each from thing`.execute(kysely));
  expect(await isPrepared('of_each')).toBe(false);
});

test('one whose column has got another type fails once and is prepared anew', async () => {
  const named = () => sql`select id as typed from thing`.execute(fresh.database.kysely);
  await ask(hotFrom, named);
  await sql`alter table thing alter column id type text`.execute(fresh.database.kysely);
  await expect(named()).rejects.toThrow('cached plan must not change result type');
  expect((await named()).rows).toEqual([{ typed: '1' }]);
  await ask(hotFrom, named);
  expect(await isPrepared('as typed')).toBe(true);
});

test('lists of every length do not fill the server with statements', () => {
  // The server would take seconds for as many: each that the client is given to ask by a name, it would keep.
  const kept = new Set<string>();
  let asked = 0;
  const client = {
    query: ({ name }: { name?: string }, done: () => void) => {
      asked += 1;
      if (name !== undefined) kept.add(name);
      done();
    },
  };
  const pool = new EventEmitter();
  prepareHotStatements(pool as Pool);
  pool.emit('connect', client);
  for (let length = 1; length <= 230; length += 1) {
    const list = Array.from({ length }, (_, number) => `$${number + 1}`);
    for (let time = 0; time < hotFrom; time += 1) {
      Reflect.apply(client.query, client, [`select 1 from thing where id in (${list})`, list]);
    }
  }
  expect(asked).toBe(230 * hotFrom);
  expect(kept.size).toBe(200);
});
