import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createKeysFile } from '../../db/keys/keys.ts';
import { bareEnvironment } from '../../test/ground/bare-environment.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { type FreshDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';
import { until } from '../../test/ground/until.ts';
import { seed } from '../../test/installation/running-api.ts';
import { type Bucket, startBucket } from '../../test/registry/bucket.ts';
import { blobOf, RegistryClient } from '../../test/registry/registry-client.ts';
import { tokenOf } from '../../test/registry/registry-world.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';
import { standsOf, storages } from '../../test/registry/storages.ts';
import { DiskStore } from './storage/disk-store.ts';
import { BucketWatch, S3Store } from './storage/s3-store.ts';

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

async function startApi(port: number, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [new URL('../main.ts', import.meta.url).pathname], {
    env: {
      ...bareEnvironment,
      PORT: String(port),
      BALLAST_HOME: home,
      KEYS_FILE: join(home, 'keys.json'),
      DATABASE_URL: fresh.url,
      TEMPORAL_ADDRESS: inject('ground').temporal.address,
      ...env,
    },
    stdio: 'ignore',
  });
  await until(
    'the API listens',
    async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok,
  );
  return child;
}

/** What the storage has besides blobs, once all that a killed process may leave is old enough to be swept. */
async function leftIn(bucket: Bucket | undefined): Promise<string[]> {
  if (bucket === undefined) return readdirSync(join(home, 'registry', 'drafts'));
  const beyond = Date.now() + 2 * 86_400_000;
  const { kysely } = fresh.database;
  const watch = new BucketWatch(pino({ level: 'silent' }));
  await new S3Store({ client: bucket.client, kysely, watch, now: () => beyond }).sweepRemains();
  return [...(await bucket.keys('drafts/')), ...(await bucket.uploads())];
}

test.each(storages)(
  'a push that kill -9 of the API interrupts goes on where it stood, twice, on %s',
  async (storage) => {
    const bucket = storage === 's3' ? await startBucket() : undefined;
    const env = bucket?.env ?? {};
    const organization = await seed(fresh.database);
    const { path } = await seedRepository(fresh.database, organization);
    const port = await freePort();
    const client = new RegistryClient(`http://127.0.0.1:${port}`, path, tokenOf(organization.tokens.deployer));
    const each = storage === 'disk' ? 5_000_000 : 17_000_000;
    const bytes = randomBytes(2.4 * each);
    const { digest } = blobOf(bytes);
    let api = await startApi(port, env);
    const place = await client.begin();
    const standing = async () => Number((await client.ask('GET', place)).headers.get('range')?.slice(2)) + 1;
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
      sent.write(bytes.subarray(offset, offset + each));
      const told = await until('some more is there for good', async () => {
        const there = await standing();
        return there >= offset + standsOf(storage, each - 1_000_000) && there;
      });
      api.kill('SIGKILL');
      await once(api, 'exit');
      sent.destroy();
      api = await startApi(port, env);
      // Nothing that somebody was told of is lost.
      offset = await standing();
      expect(offset).toBeGreaterThanOrEqual(told);
    }
    const headers = { 'content-range': `${offset}-${bytes.length - 1}` };
    const put = await client.ask('PUT', `${place}?digest=${digest}`, { body: bytes.subarray(offset), headers });
    expect(put.status).toBe(201);
    expect((await client.ask('GET', `blobs/${digest}`)).bytes.equals(bytes)).toBe(true);
    expect(await leftIn(bucket)).toEqual([]);
    if (bucket === undefined) expect(await new DiskStore(join(home, 'registry')).blobSize(digest)).toBe(bytes.length);
    const ended = once(api, 'exit');
    api.kill('SIGTERM');
    await ended;
    await bucket?.stop();
  },
);
