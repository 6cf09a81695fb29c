import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiProcesses, fresh, home, start } from '../test/api/api-process.ts';
import { proxyTo } from '../test/ground/proxy.ts';
import { until } from '../test/ground/until.ts';

const readyz = z.object({ parts: z.record(z.string(), z.object({ ready: z.boolean() })) });

apiProcesses();

test('it listens while the database is away, gets ready when it comes, and ends with 0', async () => {
  const url = new URL(fresh.url);
  const proxy = await proxyTo(url.host);
  await proxy.cut();
  url.host = proxy.address;
  const api = start({ DATABASE_URL: url.href });
  const address = await api.address();
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect((await fetch(`${address}/readyz`)).status).toBe(503);
  await proxy.restore();
  await until('its database, schema, keys and feed are ready', async () => {
    const { parts } = readyz.parse(await (await fetch(`${address}/readyz`)).json());
    return ['database', 'schema', 'keys', 'feed'].every((part) => parts[part]?.ready);
  });
  await until('it beats', async () => {
    const rows = await fresh.database.kysely.selectFrom('process').select('kind').execute();
    return rows.some(({ kind }) => kind === 'api');
  });
  api.child.kill('SIGTERM');
  expect(await api.exited).toBe(0);
  const rows = await fresh.database.kysely.selectFrom('process').select('kind').execute();
  expect(rows).toEqual([]);
  expect(api.stderr()).toBe('');
  await proxy.close();
});

test('what was asked on its socket before it was told to end is answered', async () => {
  const path = join(home, 'api.sock');
  const api = start({ API_SOCKET: path });
  const address = await api.address();
  const asking = connect(path);
  asking.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n');
  await once(asking, 'connect');
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  api.child.kill('SIGTERM');
  await until('it takes nothing more', () =>
    fetch(`${address}/healthz`).then(
      () => false,
      () => true,
    ),
  );
  asking.write('\r\n');
  expect(await text(asking)).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
  expect(await api.exited).toBe(0);
});

test('a database of a newer version ends it with one sentence and 1', async () => {
  await sql`insert into migration (name, executed_at) values ('Migration99999999999999', now())`.execute(
    fresh.database.kysely,
  );
  const api = start({});
  expect(await api.exited).toBe(1);
  expect(api.stderr()).toMatch(/^The database was migrated by a newer version[^\n]*\n$/);
});
