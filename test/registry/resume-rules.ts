import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pour } from '../../api/registry/storage/disk-store.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { until } from '../ground/until.ts';
import { blobOf, RegistryClient } from './registry-client.ts';
import { type RegistryWorld, registryWorld, tokenOf } from './registry-world.ts';
import { seedRepository } from './seed-repository.ts';
import { type Storage, standsOf } from './storages.ts';

/** How pushes go on that broke off, and what bounds them, on a storage. */
export function resumeRules(storage: Storage): void {
  let world: RegistryWorld;
  let client: RegistryClient;
  /** More than a part of those that a bucket gets. */
  const unit = storage === 'disk' ? 100_000 : 9_000_000;

  beforeAll(async () => {
    world = await registryWorld({ RECEIVE_TIMEOUT: '1s' }, storage);
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

  /** Waits until all that counts of a body is there; answers how much. */
  async function arrived(at: RegistryClient, place: string, bytes: number): Promise<number> {
    const stands = standsOf(storage, bytes);
    const range = `0-${Math.max(0, stands - 1)}`;
    await until(`${bytes} bytes are there`, async () => (await at.ask('GET', place)).headers.get('range') === range);
    return stands;
  }

  describe('a push that broke off', () => {
    test('goes on where it stood, by another process, too', async () => {
      const bytes = randomBytes(3 * unit);
      const { digest } = blobOf(bytes);
      const place = await client.begin();
      const { sent, answered } = slowly(
        world.api.url,
        'PATCH',
        place,
        { 'content-length': String(bytes.length) },
        bytes.subarray(0, unit),
      );
      await arrived(client, place, unit);
      const cut = answered.catch(() => 'cut');
      sent.destroy();
      expect(await cut).toBe('cut');
      // Of the same process, which knows the digest of nothing any more. Asked like this it first ends what came before.
      const asked = await client.ask('PATCH', place);
      const there = Number(asked.headers.get('range')?.slice(2)) + 1;
      expect(there).toBeGreaterThanOrEqual(standsOf(storage, unit));
      const second = bytes.subarray(there, 2 * unit);
      const headers = { 'content-range': `${there}-${2 * unit - 1}` };
      expect((await client.ask('PATCH', place, { body: second, headers })).status).toBe(202);
      const twin = await world.api.twin();
      try {
        const elsewhere = new RegistryClient(
          twin.url,
          world.repository.path,
          tokenOf(world.organization.tokens.deployer),
        );
        const put = await elsewhere.ask('PUT', `${place}?digest=${digest}`, {
          body: bytes.subarray(2 * unit),
          headers: { 'content-range': `${2 * unit}-${3 * unit - 1}` },
        });
        expect(put.status).toBe(201);
        const got = await elsewhere.ask('GET', `blobs/${digest}`);
        expect(createHash('sha256').update(got.bytes).digest('hex')).toBe(digest.slice(7));
      } finally {
        // A connection that is idle only after the close would hold it for as long as clients may be silent.
        await twin.dropConnections();
        await twin.close();
      }
    });

    test('a request that comes again ends the one before, and nothing of it gets into the blob', async () => {
      const bytes = randomBytes(200_000);
      const { digest } = blobOf(bytes);
      const place = await client.begin();
      const length = String(2 * unit);
      const first = slowly(world.api.url, 'PATCH', place, { 'content-length': length }, randomBytes(unit));
      const cut = first.answered.catch(() => 'cut');
      await arrived(client, place, unit);
      const again = await client.ask('PATCH', place, { body: 'x', headers: { 'content-range': '0-0' } });
      expect(again.status).toBe(416);
      expect(['cut', 409]).toContain(await cut);
      await client.ask('DELETE', place);
      expect((await client.ask('GET', place)).status).toBe(404);
      const other = await client.begin();
      expect((await client.ask('PUT', `${other}?digest=${digest}`, { body: bytes })).status).toBe(201);
    });

    test('of a draft that another process has taken over writes nowhere any more', async () => {
      const bytes = randomBytes(3 * unit);
      const { digest } = blobOf(bytes);
      const place = await client.begin();
      const length = { 'content-length': String(3 * unit) };
      const late = slowly(world.api.url, 'PATCH', place, length, bytes.subarray(0, unit));
      const there = await arrived(client, place, unit);
      const twin = await world.api.twin();
      try {
        const elsewhere = new RegistryClient(
          twin.url,
          world.repository.path,
          tokenOf(world.organization.tokens.deployer),
        );
        const rest = await elsewhere.ask('PATCH', place, {
          body: bytes.subarray(there),
          headers: { 'content-range': `${there}-${3 * unit - 1}` },
        });
        expect(rest.status).toBe(202);
        late.sent.end(randomBytes(2 * unit));
        expect(await late.answered).toBe(404);
        expect((await elsewhere.ask('PUT', `${place}?digest=${digest}`)).status).toBe(201);
        expect((await client.ask('GET', `blobs/${digest}`)).bytes.equals(bytes)).toBe(true);
      } finally {
        // A connection that is idle only after the close would hold it for as long as clients may be silent.
        await twin.dropConnections();
        await twin.close();
      }
    });

    test('a chunk that arrived unknown to the process that wrote it is not written over: 416 says where to go on', async () => {
      const blob = blobOf('one, two, three');
      const place = await client.begin();
      const chunk = (first: number, last: number) => ({ body: blob.bytes.subarray(first, last) });
      expect((await client.ask('PATCH', place, chunk(0, 5))).status).toBe(202);
      const { draft } = await world.api.database.kysely
        .selectFrom('registry_upload')
        .select('draft')
        .where('id', '=', place.split('/').at(-1) ?? '')
        .executeTakeFirstOrThrow();
      await pour(Readable.from([blob.bytes.subarray(5, 10)]), await world.store.writeDraft(draft, 5), () => undefined);
      const refused = await client.ask('PATCH', place, chunk(5, 10));
      expect([refused.status, refused.headers.get('range')]).toEqual([416, '0-9']);
      expect((await client.ask('PUT', `${place}?digest=${blob.digest}`, chunk(10, 15))).status).toBe(201);
      expect((await client.ask('GET', `blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
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

  test('concurrent pushes of one blob all succeed, and leave one blob and no draft', async () => {
    const fresh = await registryWorld({}, storage);
    try {
      const bytes = randomBytes(500_000);
      const { digest } = blobOf(bytes);
      const pushes = Array.from({ length: 8 }, (_, number) =>
        fresh.client(number % 2 === 0 ? fresh.repository : fresh.other).pushBlob({ digest, bytes }),
      );
      expect((await Promise.all(pushes)).map(({ status }) => status)).toEqual(Array(8).fill(201));
      const path = `blobs/sha256/${digest.slice(7, 9)}/${digest.slice(7)}`;
      const directory = fresh.api.registryDirectory;
      if (fresh.bucket === undefined) {
        expect(readdirSync(join(directory, 'drafts'))).toEqual([]);
        expect(existsSync(join(directory, path))).toBe(true);
      } else {
        expect(await fresh.bucket.keys()).toEqual([path]);
        expect(await fresh.bucket.uploads()).toEqual([]);
        // Nothing is on the disks of machines.
        expect(existsSync(directory)).toBe(false);
      }
    } finally {
      await fresh.close();
    }
  });

  test('of the uploads at once a credential has half and a project three quarters; one that is idle makes way', async () => {
    const small = await registryWorld({ REGISTRY_UPLOADS_PER_ORGANIZATION: '16' }, storage);
    try {
      const { kysely } = small.api.database;
      const begun = async (client: RegistryClient, times: number) => {
        const answers = [];
        for (let number = 0; number < times; number += 1) answers.push(await client.ask('POST', 'blobs/uploads/'));
        return answers.map(({ status }) => status);
      };
      const [deployer, admin] = [small.client(), small.client(small.repository, small.organization.tokens.admin)];
      expect(await begun(deployer, 8)).toEqual(Array(8).fill(202));
      const refused = await deployer.ask('POST', 'blobs/uploads/');
      expect([refused.status, refused.code]).toEqual([403, 'DENIED']);
      expect(refused.bytes.toString()).toContain('8 uploads to the registry at once for a credential');
      expect(await begun(admin, 5)).toEqual([...Array(4).fill(202), 403]);
      const elsewhere = await seedRepository(small.api.database, small.organization, { project: 'another' });
      expect(await begun(small.client(elsewhere, small.organization.tokens.admin), 5)).toEqual([
        ...Array(4).fill(202),
        403,
      ]);
      await sql`update registry_upload set touched_at = now() - interval '16 minutes'`.execute(kysely);
      expect(await begun(deployer, 1)).toEqual([202]);
    } finally {
      await small.close();
    }
  });

  test('sizes and quotas are bounded, before and while the bytes come', async () => {
    const limits = {
      REGISTRY_BYTES_PER_BLOB: '1048576',
      REGISTRY_BYTES_PER_ORGANIZATION: '2097152',
      REGISTRY_UPLOADS_PER_ORGANIZATION: '2',
    };
    const small = await registryWorld(limits, storage);
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
}
