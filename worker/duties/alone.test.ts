import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../db/postgres/database.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { until } from '../../test/ground/until.ts';
import { alone } from './alone.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

test('of two at once only one does it, and afterwards anybody may, also when it failed', async () => {
  const { database } = fresh;
  let second: boolean | undefined;
  const first = await alone(database, 'task', async () => {
    second = await alone(database, 'task', async () => undefined);
    expect(await alone(database, 'another task', async () => undefined)).toBe(true);
  });
  expect({ first, second }).toEqual({ first: true, second: false });
  const failing = alone(database, 'task', () => Promise.reject(new Error('It failed.')));
  await expect(failing).rejects.toThrow('It failed.');
  expect(await alone(database, 'task', async () => undefined)).toBe(true);
});

test('the tasks of a process hold one connection together, and none when they are done', async () => {
  const narrow = await freshDatabase({ poolMax: 2 });
  const { database } = narrow;
  const names = Array.from({ length: 14 }, (_, n) => `task ${n}`);
  let inside = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const ran = await Promise.all(
    names.map((name) =>
      alone(database, name, async () => {
        inside += 1;
        if (inside === names.length) resolve();
        await all;
        await database.ping();
      }),
    ),
  );
  expect(ran).toEqual(names.map(() => true));
  await until('both connections are back', async () => database.pool().idle === database.pool().total);
  await narrow.drop();
});

test('a process whose connection was lost takes another one, and another process may have the task by then', async () => {
  const { database } = fresh;
  const elsewhere = await openDatabase({ url: fresh.url, applicationName: 'ballast test elsewhere', poolMax: 2 });
  const broken = alone(database, 'task', async () => {
    expect(await alone(elsewhere, 'task', async () => undefined)).toBe(false);
    await sql`
      select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database =
        (select oid from pg_database where datname = current_database())
    `.execute(elsewhere.kysely);
    await until('another process has the task', () => alone(elsewhere, 'task', async () => undefined));
  });
  await expect(broken).rejects.toThrow(/connection|terminat/i);
  expect(await alone(database, 'task', async () => undefined)).toBe(true);
  await elsewhere.close();
});
