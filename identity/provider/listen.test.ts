import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings } from '../../domain/settings/settings.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { listen, placeOf } from './listen.ts';

let directory: string;
const servers: Server[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-listen-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) if (server.listening) await once(server.close(), 'close');
  rmSync(directory, { recursive: true });
});

async function listening(env: Record<string, string>): Promise<void> {
  const server = createServer();
  servers.push(server);
  await listen(server, placeOf(readSettings(env)));
}

test('a socket is for our own user alone, and one where another provider listens is not taken from it', async () => {
  const socket = join(directory, 'identity.sock');
  const before = process.umask();
  await listening({ BUILT_IN_PROVIDER_SOCKET: socket });
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(process.umask()).toBe(before);
  await expect(listening({ BUILT_IN_PROVIDER_SOCKET: socket })).rejects.toThrow(
    /^BUILT_IN_PROVIDER_SOCKET is .+, where another provider listens; stop that one/,
  );
});

test('a port is opened on this machine only where a setting says so', async () => {
  const port = await freePort();
  await listening({ BUILT_IN_PROVIDER_URL: `http://127.0.0.1:${port}` });
  expect(servers[0]?.address()).toMatchObject({ address: '127.0.0.1', port });
  await expect(listening({ BUILT_IN_PROVIDER_URL: `http://localhost:${port}` })).rejects.toThrow(
    `Port ${port} of BUILT_IN_PROVIDER_URL is taken by another program; stop that one, or name another place.`,
  );
});

test('a place that others can change, a file, and a path without end are refused', async () => {
  const open = join(directory, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const file = join(directory, 'file');
  writeFileSync(file, 'years of work');
  for (const [path, sentence] of [
    [join(open, 'identity.sock'), /can be changed by other users, who could take passwords there; name one/],
    [join(directory, 'nowhere', 'identity.sock'), /whose directory is missing/],
    [file, /is a file and no socket; name another path/],
    [join(directory, 'x'.repeat(100)), /is too long for a socket; name a path of at most 103 bytes/],
  ] as const) {
    await expect(listening({ BUILT_IN_PROVIDER_SOCKET: path })).rejects.toThrow(sentence);
  }
  expect(readFileSync(file, 'utf8')).toBe('years of work');
});

test.each([
  [{}, /^BUILT_IN_PROVIDER_SOCKET is not set; set it/],
  [
    { BUILT_IN_PROVIDER_SOCKET: '/run/a.sock', BUILT_IN_PROVIDER_URL: 'http://127.0.0.1:1' },
    /^BUILT_IN_PROVIDER_SOCKET and BUILT_IN_PROVIDER_URL are both set; unset one/,
  ],
  [{ BUILT_IN_PROVIDER_URL: 'http://10.0.0.1:1' }, /is an http address on another machine, .* use https/],
  [{ BUILT_IN_PROVIDER_URL: 'https://identity.internal' }, /the provider itself speaks no TLS/],
])('%j is refused in a sentence', async (env: Record<string, string>, sentence) => {
  await expect(listening(env)).rejects.toThrow(sentence);
});
