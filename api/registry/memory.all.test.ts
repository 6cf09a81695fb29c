import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createKeysFile } from '../../db/keys/keys.ts';
import { bareEnvironment } from '../../test/ground/bare-environment.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { type FreshDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';
import { until } from '../../test/ground/until.ts';
import { heldBytes, inspectable } from '../../test/installation/held-memory.ts';
import { seed } from '../../test/installation/running-api.ts';
import { startBucket } from '../../test/registry/bucket.ts';
import { RegistryClient } from '../../test/registry/registry-client.ts';
import { tokenOf } from '../../test/registry/registry-world.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';
import { standsOf, storages } from '../../test/registry/storages.ts';

const megabyte = 1024 * 1024;
const megabytes = 200;
let fresh: FreshDatabase;
let home: string;

beforeEach(async () => {
  fresh = await freshDatabase();
  home = mkdtempSync(join(tmpdir(), 'ballast-push-memory-'));
  await createKeysFile(join(home, 'keys.json'));
});

afterEach(async () => {
  await fresh.drop();
  rmSync(home, { recursive: true });
});

test.each(storages)('a push of 200 MB takes less than 40 MB of memory, on %s', async (storage) => {
  const bucket = storage === 's3' ? await startBucket() : undefined;
  const organization = await seed(fresh.database);
  const { path } = await seedRepository(fresh.database, organization);
  const port = await freePort();
  const log = join(home, 'api.log');
  const api = spawn(process.execPath, [new URL('../main.ts', import.meta.url).pathname], {
    env: {
      ...bareEnvironment,
      ...inspectable,
      ...bucket?.env,
      PORT: String(port),
      BALLAST_HOME: home,
      KEYS_FILE: join(home, 'keys.json'),
      DATABASE_URL: fresh.url,
      TEMPORAL_ADDRESS: inject('ground').temporal.address,
    },
    stdio: ['ignore', 'ignore', openSync(log, 'a')],
  });
  const client = new RegistryClient(`http://127.0.0.1:${port}`, path, tokenOf(organization.tokens.deployer));
  await until('the API answers', async () => (await fetch(`${client.url}/healthz`).catch(() => undefined))?.ok);
  // The first one fills what is kept for good.
  expect((await client.pushImage('a first one')).digest).toMatch(/^sha256:/);
  const before = await heldBytes(api.pid ?? 0, log);
  const place = await client.begin();
  const sent = request(`${client.url}${place}`, {
    method: 'PATCH',
    headers: { ...client.headers(), 'content-length': megabytes * megabyte },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
  });
  const piece = randomBytes(megabyte);
  for (let number = 1; number < megabytes; number += 1) if (!sent.write(piece)) await once(sent, 'drain');
  const stands = standsOf(storage, (megabytes - 1) * megabyte);
  await until('all but the last megabyte is there', async () => {
    const { headers } = await client.ask('GET', place);
    return Number(headers.get('range')?.slice(2)) + 1 >= stands;
  });
  const held = (await heldBytes(api.pid ?? 0, log)) - before;
  process.stdout.write(`A push of ${megabytes} MB on ${storage} holds ${(held / megabyte).toFixed(1)} MB\n`);
  expect(held).toBeLessThan(40 * megabyte);
  sent.end(piece);
  expect(await answered).toBe(202);
  const ended = once(api, 'exit');
  api.kill('SIGTERM');
  await ended;
  await bucket?.stop();
});
