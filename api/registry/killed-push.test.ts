import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createKeysFile } from '../../db/keys/keys.ts';
import { bareEnvironment } from '../../test/ground/bare-environment.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { type FreshDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';
import { until } from '../../test/ground/until.ts';
import { seed } from '../../test/installation/running-api.ts';
import { blobOf, RegistryClient } from '../../test/registry/registry-client.ts';
import { tokenOf } from '../../test/registry/registry-world.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';
import { DiskStore } from './storage/disk-store.ts';

let fresh: FreshDatabase;
let home: string;

beforeEach(async () => {
  fresh = await freshDatabase();
  home = mkdtempSync(join(tmpdir(), 'ballast-killed-push-'));
  await createKeysFile(join(home, 'keys.json'));
});

afterEach(async () => {
  await fresh.drop();
  rmSync(home, { recursive: true });
});

async function startApi(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [new URL('../main.ts', import.meta.url).pathname], {
    env: {
      ...bareEnvironment,
      PORT: String(port),
      BALLAST_HOME: home,
      KEYS_FILE: join(home, 'keys.json'),
      DATABASE_URL: fresh.url,
      TEMPORAL_ADDRESS: inject('ground').temporal.address,
    },
    stdio: 'ignore',
  });
  await until(
    'the API listens',
    async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok,
  );
  return child;
}

test('a push that kill -9 of the API interrupts goes on where it stood, twice, and leaves nothing else', async () => {
  const organization = await seed(fresh.database);
  const { path } = await seedRepository(fresh.database, organization);
  const port = await freePort();
  const client = new RegistryClient(`http://127.0.0.1:${port}`, path, tokenOf(organization.tokens.deployer));
  const bytes = randomBytes(12_000_000);
  const { digest } = blobOf(bytes);
  const drafts = join(home, 'registry', 'drafts');
  let api = await startApi(port);
  const place = await client.begin();
  let offset = 0;
  for (let kill = 0; kill < 2; kill += 1) {
    const sent = request(`${client.url}${place}`, {
      method: 'PATCH',
      headers: {
        ...client.headers(),
        'content-range': `${offset}-${bytes.length - 1}`,
        'content-length': bytes.length - offset,
      },
    });
    sent.on('error', () => undefined);
    sent.write(bytes.subarray(offset, offset + 5_000_000));
    const most = offset + 5_000_000;
    await until('some more is in a draft', async () =>
      readdirSync(drafts).some((name) => statSync(join(drafts, name)).size >= most - 1_000_000),
    );
    api.kill('SIGKILL');
    await once(api, 'exit');
    sent.destroy();
    api = await startApi(port);
    const { status, headers } = await client.ask('GET', place);
    const arrived = Number(headers.get('range')?.slice(2)) + 1;
    expect(status).toBe(204);
    expect(arrived).toBeGreaterThan(offset);
    offset = arrived;
  }
  const headers = { 'content-range': `${offset}-${bytes.length - 1}` };
  const put = await client.ask('PUT', `${place}?digest=${digest}`, { body: bytes.subarray(offset), headers });
  expect(put.status).toBe(201);
  expect((await client.ask('GET', `blobs/${digest}`)).bytes.equals(bytes)).toBe(true);
  expect(readdirSync(drafts)).toEqual([]);
  expect(await new DiskStore(join(home, 'registry')).blobSize(digest)).toBe(bytes.length);
  const ended = once(api, 'exit');
  api.kill('SIGTERM');
  await ended;
});
