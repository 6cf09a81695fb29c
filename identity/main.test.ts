import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { livingProcesses } from '../db/engine/processes.ts';
import { createKeysFile } from '../db/keys/keys.ts';
import { freePort } from '../test/ground/free-port.ts';
import { type FreshDatabase, freshDatabase } from '../test/ground/fresh-database.ts';
import { until } from '../test/ground/until.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

let fresh: FreshDatabase;
let directory: string;
let env: Record<string, string>;
let port: number;

beforeAll(async () => {
  fresh = await freshDatabase();
  directory = mkdtempSync(join(tmpdir(), 'ballast-identity-'));
  port = await freePort();
  env = {
    DATABASE_URL: fresh.url,
    KEYS_FILE: join(directory, 'keys.json'),
    BUILT_IN_PROVIDER_URL: `http://127.0.0.1:${port}`,
    PUBLIC_URL: 'https://ballast.example.com',
  };
});
afterAll(async () => {
  await fresh.drop();
  rmSync(directory, { recursive: true });
});

function start(settings: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return { child, output: () => output };
}

async function health(): Promise<number | undefined> {
  return await fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ status }) => status,
    () => undefined,
  );
}

async function beating(): Promise<string[]> {
  return (await livingProcesses(fresh.database.kysely)).map(({ kind }) => kind);
}

test('it listens before it can do its work, gets ready by itself, and leaves nothing when it is asked to stop', async () => {
  const { child, output } = start(env);
  // There is no keys file yet.
  await until('it listens', async () => (await health()) === 503, 20);
  expect((await fetch(`http://127.0.0.1:${port}/oidc/auth`)).status).toBe(503);
  await createKeysFile(env.KEYS_FILE ?? '');
  await until('it is ready', async () => (await health()) === 200, 20);
  expect(await beating()).toEqual(['identity']);
  const answer = await fetch(`http://127.0.0.1:${port}/oidc/.well-known/openid-configuration`);
  expect(await answer.json()).toMatchObject({ issuer: 'https://ballast.example.com/oidc' });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await beating()).toEqual([]);
  expect(output()).not.toContain('WARNING');
});

test.each([
  [{ OIDC_ISSUER: 'https://accounts.example.com', OIDC_CLIENT_ID: 'ballast' }, /^OIDC_ISSUER names another provider/],
  [{ BUILT_IN_PROVIDER_URL: '' }, /^BUILT_IN_PROVIDER_URL is not set; set it/],
])('%j is refused in a sentence', async (changed, sentence) => {
  const { child, output } = start({ ...env, ...changed });
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(output()).toMatch(sentence);
  expect(output()).not.toMatch(/\n\s+at /);
});

test('a port that somebody else has is refused in a sentence', async () => {
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const { child, output } = start(env);
  expect(await once(child, 'exit')).toEqual([1, null]);
  other.close();
  expect(output()).toMatch(/^Port \d+ of BUILT_IN_PROVIDER_URL is taken by another program/);
});
