import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { askedOnce, askingBuiltInProvider } from '../api/sign-in/built-in-provider.ts';
import { livingProcesses } from '../db/engine/processes/processes.ts';
import { createKeysFile } from '../db/keys/keys.ts';
import { readSettings } from '../domain/settings/settings.ts';
import { bareEnvironment } from '../test/ground/bare-environment.ts';
import { freshDatabase } from '../test/ground/fresh-database.ts';
import { until } from '../test/ground/until.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

const fresh = await freshDatabase();
const directory = mkdtempSync(join(tmpdir(), 'ballast-identity-'));
const socket = join(directory, 'identity.sock');
const env = {
  DATABASE_URL: fresh.url,
  KEYS_FILE: join(directory, 'keys.json'),
  BUILT_IN_PROVIDER_SOCKET: socket,
  PUBLIC_URL: 'https://ballast.example.com',
};
afterAll(async () => {
  await fresh.drop();
  rmSync(directory, { recursive: true });
});

function start(settings: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { ...bareEnvironment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return { child, output: () => output };
}

async function get(path: string): Promise<Response | undefined> {
  const ask = askingBuiltInProvider(readSettings(env));
  return ask && (await askedOnce(ask, { path }).catch(() => undefined));
}

const health = async () => (await get('/healthz'))?.status;

async function beating(): Promise<string[]> {
  return (await livingProcesses(fresh.database.kysely)).map(({ kind }) => kind);
}

test('it listens before it can do its work, gets ready by itself, and leaves nothing when it is asked to stop', async () => {
  // A provider that was killed has left its socket.
  const killed = createServer().listen(join(directory, 'killed.sock'));
  await once(killed, 'listening');
  renameSync(join(directory, 'killed.sock'), socket);
  killed.close();
  const { child, output } = start(env);
  // There is no keys file yet.
  await until('it listens', async () => (await health()) === 503);
  expect((await get('/oidc/auth'))?.status).toBe(503);
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  await createKeysFile(env.KEYS_FILE ?? '');
  await until('it is ready', async () => (await health()) === 200);
  expect(await beating()).toEqual(['identity']);
  const answer = await get('/oidc/.well-known/openid-configuration');
  expect(await answer?.json()).toMatchObject({ issuer: 'https://ballast.example.com/oidc' });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await beating()).toEqual([]);
  expect(existsSync(socket)).toBe(false);
  expect(output()).not.toContain('WARNING');
});
