import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../domain/settings/settings.ts';
import { until } from '../../test/ground/until.ts';
import { blobOf, RegistryClient } from '../../test/registry/registry-client.ts';
import { type RegistryWorld, registryWorld, tokenOf } from '../../test/registry/registry-world.ts';

let world: RegistryWorld;
let client: RegistryClient;

beforeAll(async () => {
  world = await registryWorld({ RECEIVE_TIMEOUT: '1s' });
  client = world.client();
});

afterAll(() => world.close());

/** Sends a part of a body and keeps the connection open: what more comes is the test's to say. */
function slowly(url: string, method: string, path: string, headers: Record<string, string>, first: Buffer) {
  const sent = request(`${url}${path}`, { method, headers: { ...client.headers(), ...headers } });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
  });
  sent.write(first);
  return { sent, answered };
}

async function arrived(at: RegistryClient, place: string, bytes: number): Promise<void> {
  const range = `0-${bytes - 1}`;
  await until(`${bytes} bytes are there`, async () => (await at.ask('GET', place)).headers.get('range') === range);
}

describe('a push that broke off', () => {
  test('goes on where it stood, by another process, too', async () => {
    const bytes = randomBytes(3_000_000);
    const { digest } = blobOf(bytes);
    const place = await client.begin();
    const { sent, answered } = slowly(
      world.api.url,
      'PATCH',
      place,
      { 'content-length': '3000000' },
      bytes.subarray(0, 1_000_000),
    );
    await arrived(client, place, 1_000_000);
    const cut = answered.catch(() => 'cut');
    sent.destroy();
    expect(await cut).toBe('cut');
    // Of the same process, which knows the digest of nothing any more.
    const second = bytes.subarray(1_000_000, 2_000_000);
    const headers = { 'content-range': '1000000-1999999' };
    expect((await client.ask('PATCH', place, { body: second, headers })).status).toBe(202);
    const twin = await world.api.twin();
    try {
      const there = new RegistryClient(twin.url, world.repository.path, tokenOf(world.organization.tokens.deployer));
      const put = await there.ask('PUT', `${place}?digest=${digest}`, {
        body: bytes.subarray(2_000_000),
        headers: { 'content-range': '2000000-2999999' },
      });
      expect(put.status).toBe(201);
      const got = await there.ask('GET', `blobs/${digest}`);
      expect(createHash('sha256').update(got.bytes).digest('hex')).toBe(digest.slice(7));
    } finally {
      await twin.close();
    }
  });

  test('a request that comes again ends the one before, and nothing of it gets into the blob', async () => {
    const bytes = randomBytes(200_000);
    const { digest } = blobOf(bytes);
    const place = await client.begin();
    const first = slowly(world.api.url, 'PATCH', place, { 'content-length': '200000' }, randomBytes(100_000));
    const cut = first.answered.catch(() => 'cut');
    await arrived(client, place, 100_000);
    const again = await client.ask('PATCH', place, { body: 'x', headers: { 'content-range': '0-0' } });
    expect(again.status).toBe(416);
    expect(['cut', 409]).toContain(await cut);
    await client.ask('DELETE', place);
    expect((await client.ask('GET', place)).status).toBe(404);
    const other = await client.begin();
    expect((await client.ask('PUT', `${other}?digest=${digest}`, { body: bytes })).status).toBe(201);
  });

  test('of a draft that another process has taken over writes nowhere any more', async () => {
    const bytes = randomBytes(300_000);
    const { digest } = blobOf(bytes);
    const place = await client.begin();
    const late = slowly(world.api.url, 'PATCH', place, { 'content-length': '300000' }, bytes.subarray(0, 100_000));
    await arrived(client, place, 100_000);
    const twin = await world.api.twin();
    try {
      const there = new RegistryClient(twin.url, world.repository.path, tokenOf(world.organization.tokens.deployer));
      const rest = await there.ask('PATCH', place, {
        body: bytes.subarray(100_000),
        headers: { 'content-range': '100000-299999' },
      });
      expect(rest.status).toBe(202);
      late.sent.end(randomBytes(200_000));
      expect(await late.answered).toBe(404);
      expect((await there.ask('PUT', `${place}?digest=${digest}`)).status).toBe(201);
      expect((await client.ask('GET', `blobs/${digest}`)).bytes.equals(bytes)).toBe(true);
    } finally {
      await twin.close();
    }
  });

  test('a body takes longer than other requests may', async () => {
    const blob = blobOf('slowly, but it comes');
    const place = await client.begin();
    const { sent, answered } = slowly(
      world.api.url,
      'PUT',
      `${place}?digest=${blob.digest}`,
      { 'content-length': String(blob.size) },
      blob.bytes.subarray(0, 5),
    );
    await arrived(client, place, 5);
    // Another request that never sends its body shows that the time is up.
    const forgotten = slowly(
      world.api.url,
      'PUT',
      '/v2/a/b/c/manifests/x',
      { 'content-length': '100' },
      Buffer.from('x'),
    );
    const began = slowly(
      world.api.url,
      'PUT',
      `/v2/${world.repository.path}/manifests/x`,
      { 'content-length': '100' },
      Buffer.from('{'),
    );
    await forgotten.answered.catch(() => undefined);
    expect(await began.answered.catch(() => 408)).toBe(408);
    sent.end(blob.bytes.subarray(5));
    expect(await answered).toBe(201);
  });
});

test('concurrent pushes of one blob all succeed, and leave one file and no draft', async () => {
  const fresh = await registryWorld();
  try {
    const bytes = randomBytes(500_000);
    const { digest } = blobOf(bytes);
    const pushes = Array.from({ length: 8 }, (_, number) =>
      fresh.client(number % 2 === 0 ? fresh.repository : fresh.other).pushBlob({ digest, bytes }),
    );
    expect((await Promise.all(pushes)).map(({ status }) => status)).toEqual(Array(8).fill(201));
    const directory = fresh.api.registryDirectory;
    expect(readdirSync(join(directory, 'drafts'))).toEqual([]);
    expect(existsSync(join(directory, 'blobs/sha256', digest.slice(7, 9), digest.slice(7)))).toBe(true);
  } finally {
    await fresh.close();
  }
});

test('sizes and quotas are bounded, before and while the bytes come', async () => {
  const limits = {
    REGISTRY_BYTES_PER_BLOB: '1048576',
    REGISTRY_BYTES_PER_ORGANIZATION: '2097152',
    REGISTRY_UPLOADS_PER_ORGANIZATION: '2',
  };
  const small = await registryWorld(limits);
  try {
    expect(readSettings(limits).REGISTRY_BYTES_PER_BLOB).toBe(1_048_576);
    const here = small.client();
    const large = blobOf(randomBytes(1_048_577));
    const refused = await here.pushBlob(large);
    expect([refused.status, refused.code]).toEqual([413, 'SIZE_INVALID']);
    const third = await here.ask('POST', 'blobs/uploads/');
    expect([third.status, (await here.ask('POST', 'blobs/uploads/')).code]).toEqual([202, 'DENIED']);
    await here.ask('DELETE', third.headers.get('location') ?? '');
    for (let number = 0; number < 2; number += 1) {
      expect((await here.ask('POST', `blobs/uploads/?digest=${'x'}`)).code).toBe('DIGEST_INVALID');
      const blob = blobOf(randomBytes(1_048_576));
      const { status } = await here.ask('POST', `blobs/uploads/?digest=${blob.digest}`, { body: blob.bytes });
      expect(status).toBe(201);
    }
    const beyond = blobOf('one byte too many');
    const full = await here.ask('POST', `blobs/uploads/?digest=${beyond.digest}`, { body: beyond.bytes });
    expect([full.status, full.code]).toEqual([403, 'DENIED']);
    expect(full.bytes.toString()).toContain('REGISTRY_BYTES_PER_ORGANIZATION');
  } finally {
    await small.close();
  }
});
