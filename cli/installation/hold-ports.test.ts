import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings } from '../../domain/settings/settings.ts';
import { type Home, openHome } from '../../runtime/home/home.ts';
import { type HeldPorts, holdPorts, releasePorts } from './hold-ports.ts';

let directory: string;
let home: Home;
let held: HeldPorts | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-ports-'));
  home = openHome(join(directory, 'home'));
});
afterEach(() => {
  if (held) releasePorts(held);
  held = undefined;
  rmSync(directory, { recursive: true });
});

async function hold(env: Record<string, string>): Promise<HeldPorts> {
  held = await holdPorts(home, readSettings(env));
  return held;
}

async function stranger(port = 0) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() };
}

test('PORT=0 becomes a port, the same one on both addresses that localhost means', async () => {
  const { api, worker } = await hold({ PORT: '0' });
  expect(new Set(api.map(({ port }) => port)).size).toBe(1);
  expect(api[0]).toMatchObject({ address: '127.0.0.1' });
  expect(api.slice(1).every(({ address }) => address === '::1')).toBe(true);
  expect(home.record.ports.worker).toBe(worker[0]?.port);
});

test('an inner port is kept over starts, and replaced when a stranger has it', async () => {
  const first = (await hold({ PORT: '0' })).worker[0]?.port ?? 0;
  if (held) releasePorts(held);
  expect((await hold({ PORT: '0' })).worker[0]?.port).toBe(first);
  if (held) releasePorts(held);
  const other = await stranger(first);
  expect((await hold({ PORT: '0' })).worker[0]?.port).not.toBe(first);
  expect(home.record.ports.worker).not.toBe(first);
  other.close();
});

test.each(['PORT', 'WORKER_PORT'])('%s that a stranger has is refused by its name', async (setting) => {
  const other = await stranger();
  await expect(hold({ PORT: '0', [setting]: String(other.port) })).rejects.toThrow(
    new RegExp(
      `^Port ${other.port} of 127\\.0\\.0\\.1 is taken by another program.*; stop it or set ${setting} to a free port\\.$`,
    ),
  );
  other.close();
});

test('another LISTEN is that one alone', async () => {
  const { api } = await hold({ PORT: '0', LISTEN: '0.0.0.0', PUBLIC_URL: 'https://ballast.example.com' });
  expect(api.map(({ address }) => address)).toEqual(['0.0.0.0']);
});
