import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { createKeysFile } from '../db/keys/keys.ts';
import { bareEnvironment } from '../test/ground/bare-environment.ts';
import { type FreshDatabase, freshDatabase } from '../test/ground/fresh-database.ts';
import { proxyTo } from '../test/ground/proxy.ts';
import { until } from '../test/ground/until.ts';

const readyz = z.object({ parts: z.record(z.string(), z.object({ ready: z.boolean() })) });
let fresh: FreshDatabase;
let home: string;

beforeEach(async () => {
  fresh = await freshDatabase();
  home = await mkdtemp(join(tmpdir(), 'ballast-api-main-'));
  await createKeysFile(join(home, 'keys.json'));
});
afterEach(async () => {
  await fresh.drop();
  await rm(home, { recursive: true });
});

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [new URL('main.ts', import.meta.url).pathname], {
    env: {
      ...bareEnvironment,
      PORT: '0',
      BALLAST_HOME: home,
      KEYS_FILE: join(home, 'keys.json'),
      DATABASE_URL: fresh.url,
      TEMPORAL_ADDRESS: inject('ground').temporal.address,
      ...env,
    },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const address = () => until('it listens', async () => /"address":"(http:[^"]+)"/.exec(out)?.[1]);
  return { child, exited, address, stderr: () => err };
}

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

test('a file of authorities that is missing ends it with one sentence', async () => {
  const api = start({ OUTBOUND_CA_FILE: '/nowhere/ca.pem' });
  expect(await api.exited).toBe(1);
  expect(api.stderr()).toBe('OUTBOUND_CA_FILE names /nowhere/ca.pem, which cannot be read (ENOENT); correct it.\n');
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

test('a database of a newer version, a taken port, a missing setting: one sentence and 1', async () => {
  const holding = createServer();
  await new Promise<void>((resolve) => holding.listen(0, '127.0.0.1', resolve));
  const taken = holding.address();
  const port = typeof taken === 'object' && taken !== null ? String(taken.port) : '';
  await sql`insert into migration (name, executed_at) values ('Migration99999999999999', now())`.execute(
    fresh.database.kysely,
  );
  for (const [env, sentence] of [
    [{}, /^The database was migrated by a newer version[^\n]*\n$/],
    [{ PORT: port }, /^PORT \d+ is taken by another program[^\n]*\n$/],
    [{ DATABASE_URL: '' }, /^DATABASE_URL is not set[^\n]*\n$/],
  ] as const) {
    const api = start(env);
    expect(await api.exited).toBe(1);
    expect(api.stderr()).toMatch(sentence);
  }
  holding.close();
});
