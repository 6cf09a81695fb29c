import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { until } from '../../test/ground/until.ts';
import { machine } from '../../test/seeds/seed.ts';
import { effect } from '../engine/effect.ts';
import { beat, livingProcesses, removeProcess } from '../engine/processes/processes.ts';
import { migrationOrm } from '../migrations/migration-orm.ts';
import { connectionFailure, uniqueViolation } from './connection-failure.ts';
import { type Database, openDatabase } from './database.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

const answers = (database: Database) =>
  database.ping().then(
    () => true,
    () => false,
  );

/** PostgreSQL behind a door that can be slammed and opened again. */
async function door(): Promise<{ url: string; slam(): void; open(): Promise<void>; close(): Promise<void> }> {
  const target = new URL(fresh.url);
  const sockets = new Set<Socket>();
  let port = 0;
  let server: Server;
  const open = async (): Promise<void> => {
    server = createServer((incoming) => {
      const host = decodeURIComponent(target.hostname);
      const outgoing = host.startsWith('/')
        ? connect(`${host}/.s.PGSQL.${target.port}`)
        : connect(Number(target.port), host);
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address !== null && typeof address === 'object') port = address.port;
  };
  const slam = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  await open();
  const url = new URL(fresh.url);
  url.port = `${port}`;
  url.hostname = '127.0.0.1';
  return { url: url.href, slam, open, close: async () => slam() };
}

test('closed while its first connection is being made, it answers what was asked and ends', async () => {
  const database = await openDatabase({ url: fresh.url, applicationName: 'closed early', poolMax: 2 });
  const asked = answers(database);
  while (database.pool().total === 0) await Promise.resolve();
  await database.close();
  expect(await asked).toBe(true);
  expect(await answers(database)).toBe(false);
  await database.close();
});

test('connections heal by themselves, and meanwhile every failure says that the database is away', async () => {
  const way = await door();
  const warnings: string[] = [];
  const database = await openDatabase({
    url: way.url,
    applicationName: 'healing',
    poolMax: 4,
    onWarning: (message) => warnings.push(message),
  });
  await Promise.all(Array.from({ length: 4 }, () => database.ping()));
  expect(database.pool()).toMatchObject({ total: 4, waiting: 0 });
  const running = sql`select pg_sleep(30)`.execute(database.kysely).catch((error: unknown) => error);
  // Each of these holds a transaction, and with it a place in the pool, when the server goes.
  let inside = 0;
  const effects = Array.from({ length: 3 }, () =>
    effect(database, machine, async (effect) => {
      await sql`select 1`.execute(effect.kysely);
      inside += 1;
      if (inside === 3) way.slam();
      await sql`select pg_sleep(30)`.execute(effect.kysely);
    }).catch((error: unknown) => error),
  );
  for (const error of await Promise.all([running, ...effects])) {
    expect(error).toBeInstanceOf(Error);
    expect(connectionFailure(error)).toBe(true);
  }
  const refused = await database.ping().catch((error: unknown) => error);
  expect(connectionFailure(refused)).toBe(true);
  await way.open();
  await until('the database answers', async () => answers(database));
  await Promise.all(
    Array.from({ length: 8 }, () => effect(database, machine, (effect) => sql`select 1`.execute(effect.kysely))),
  );
  expect(database.pool()).toMatchObject({ total: 4, idle: 4, waiting: 0 });
  expect(warnings.join(' ')).not.toContain('dev@');
  await database.close();
  await way.close();
});

test('a server that ends our sessions does not end the process', async () => {
  const database = await openDatabase({ url: fresh.url, applicationName: 'killed', poolMax: 4 });
  await Promise.all(Array.from({ length: 4 }, () => database.ping()));
  const busy = sql`select pg_sleep(30)`.execute(database.kysely).catch((error: unknown) => error);
  await until('the session is ended', async () => {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'killed' and datname = current_database() and query like '%pg_sleep%'
    `.execute(fresh.database.kysely);
    return connectionFailure(await Promise.race([busy, Promise.resolve()]));
  });
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'killed'`.execute(
    fresh.database.kysely,
  );
  await until('the database answers', async () => answers(database));
  await database.close();
});

test('a database that is away at the start is no obstacle to opening it', async () => {
  const database = await openDatabase({
    url: 'postgresql://nobody@127.0.0.1:1/none',
    applicationName: 'early',
    poolMax: 1,
  });
  const error = await database.ping().catch((reason: unknown) => reason);
  expect(connectionFailure(error)).toBe(true);
  await database.close();
});

test('defects and refusals are told apart from a database that is away', async () => {
  const { kysely } = fresh.database;
  const fails = async (work: Promise<unknown>): Promise<unknown> => await work.catch((error: unknown) => error);
  const defect = await fails(sql`select nonsense`.execute(kysely));
  expect(connectionFailure(defect)).toBe(false);
  expect(connectionFailure(new Error('no'))).toBe(false);
  expect(connectionFailure(undefined)).toBe(false);
  expect(connectionFailure(Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open' }))).toBe(false);
  const insert = () => kysely.insertInto('organization').values({ id: uuid(), name: 'a', slug: 'same' }).execute();
  await insert();
  const twice = await fails(insert());
  expect(uniqueViolation(twice)).toBe('organization_slug_unique');
  const stranger = await fails(
    kysely.insertInto('membership').values({ organization_id: uuid(), user_id: uuid(), role: 'owner' }).execute(),
  );
  expect(connectionFailure(stranger)).toBe(false);
  expect(uniqueViolation(stranger)).toBeUndefined();
});

test('a process that beats is the one that is read, times included', async () => {
  const { kysely } = fresh.database;
  const id = uuid();
  await beat(kysely, { id, kind: 'worker', version: '1', state: { ready: false } });
  await beat(kysely, { id, kind: 'worker', version: '1', state: { ready: true } });
  const [living] = await livingProcesses(kysely);
  expect(living).toMatchObject({ id, kind: 'worker', state: { ready: true } });
  expect(living?.seenAt).toBeInstanceOf(Date);
  await sql`update process set seen_at = now() - interval '21 seconds'`.execute(kysely);
  expect(await livingProcesses(kysely)).toEqual([]);
  await removeProcess(kysely, id);
  expect((await sql`select 1 from process`.execute(kysely)).rows).toEqual([]);
});

test('a DATABASE_URL that wants TLS never speaks in the clear', async () => {
  const heard: Buffer[] = [];
  // A server without TLS, or somebody in its place.
  const server = createServer((socket) => {
    socket.on('data', (said) => {
      heard.push(said);
      socket.write('N');
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const url = `postgresql://ballast:secret@127.0.0.1:${port}/ballast?sslmode=verify-full`;
  const database = await openDatabase({ url, applicationName: 'tls', poolMax: 1 });
  const orm = migrationOrm(url);
  try {
    await expect(database.ping()).rejects.toThrow(/does not support SSL/);
    await expect(orm.em.getConnection().execute('select 1')).rejects.toThrow(/does not support SSL/);
    const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
    expect(heard).toEqual([sslRequest, sslRequest]);
  } finally {
    await database.close();
    await orm.close(true);
    server.close();
  }
});
