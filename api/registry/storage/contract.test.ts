import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { S3Client } from '../../../outbound/s3/s3-client.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/ground/fresh-database.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../../test/registry/bucket.ts';
import { digestOf } from '../../../test/registry/registry-client.ts';
import type { BlobStore } from './blob-store.ts';
import { BucketWatch } from './bucket-away.ts';
import { DiskStore } from './disk-store.ts';
import { pour } from './pour.ts';
import { S3Store } from './s3-store.ts';

/** A storage, and another process's view of the same. */
interface World {
  store: BlobStore;
  other: BlobStore;
  /** The name of an upload's draft from now on, as `adoptUpload` gives it to the row. */
  rename(name: string, own: string): Promise<void>;
  stop(): Promise<void>;
}

function onDisk(): World {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-store-'));
  return {
    store: new DiskStore(directory),
    other: new DiskStore(directory),
    rename: async () => undefined,
    stop: async () => rmSync(directory, { recursive: true }),
  };
}

async function inBucket(): Promise<World & { bucket: Bucket; fresh: FreshDatabase }> {
  const [bucket, fresh] = [await startBucket(), await freshDatabase()];
  const { kysely } = fresh.database;
  const open = () =>
    new S3Store({ client: new S3Client(bucket.target), kysely, watch: new BucketWatch(pino({ level: 'silent' })) });
  const [store, other] = [open(), open()];
  return {
    bucket,
    fresh,
    store,
    other,
    rename: async (name, own) => {
      await kysely.updateTable('registry_draft').set({ name: own }).where('name', '=', name).execute();
    },
    stop: async () => {
      await store.close();
      await other.close();
      await fresh.drop();
      await bucket.stop();
    },
  };
}

const megabyte = 1024 * 1024;

/** In pieces, as bodies of requests come. */
function asBody(bytes: Buffer): Readable {
  const size = 64 * 1024;
  const count = Math.ceil(bytes.length / size);
  return Readable.from(Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)));
}

const kinds = { disk: async () => onDisk(), s3: inBucket };

describe.each(['disk', 's3'] as const)('blobs on %s', (kind) => {
  describe.skipIf(kind === 's3' && !bucketsAreThere)('keep the contract', () => {
    let world: World;
    let store: BlobStore;
    beforeAll(async () => {
      world = await kinds[kind]();
      ({ store } = world);
    });
    afterAll(() => world.stop());

    const write = async (name: string, from: number, bytes: Buffer, at = store) =>
      await pour(asBody(bytes), await at.writeDraft(name, from), () => undefined);
    const contentOf = async (name: string) => await buffer(await store.readDraft(name));
    const draft = async (...pieces: Buffer[]): Promise<string> => {
      const name = randomUUID();
      await store.createDraft(name);
      let from = 0;
      for (const piece of pieces) {
        await write(name, from, piece);
        from += piece.length;
      }
      return name;
    };
    /** As an upload ends. */
    const kept = async (...pieces: Buffer[]) => {
      const bytes = Buffer.concat(pieces);
      const digest = digestOf(bytes);
      const settled = await store.settle(await draft(...pieces), digest);
      expect(await settled.keep()).toBe(true);
      await settled.done();
      return { digest, bytes };
    };

    test('a draft grows at its end, tells how long it is, and is read as it came', async () => {
      const pieces = [randomBytes(10), randomBytes(9 * megabyte), randomBytes(3)];
      const name = await draft();
      expect([await store.draftSize(name), await contentOf(name)]).toEqual([0, Buffer.alloc(0)]);
      let from = 0;
      for (const piece of pieces) {
        await write(name, from, piece);
        from += piece.length;
        // Another process sees the same, as after kill -9 of this one.
        expect(await world.other.draftSize(name)).toBe(from);
      }
      expect((await contentOf(name)).equals(Buffer.concat(pieces))).toBe(true);
    });

    test('what came before a body broke off stays', async () => {
      const name = await draft(Buffer.from('before '));
      const broken = Readable.from(
        (async function* () {
          yield Buffer.from('it broke');
          throw new Error('cut');
        })(),
      );
      await expect(pour(broken, await store.writeDraft(name, 7), () => undefined)).rejects.toThrow('cut');
      expect((await contentOf(name)).toString()).toBe('before it broke');
    });

    test('a draft is cut back to where a request began, and goes on from there', async () => {
      const [first, second] = [randomBytes(100), randomBytes(17 * megabyte)];
      const name = await draft(first, second);
      await store.cutDraft(name, 100);
      await store.cutDraft(name, 100);
      expect(await contentOf(name)).toEqual(first);
      await write(name, 100, Buffer.from('other'));
      expect((await contentOf(name)).subarray(100).toString()).toBe('other');
      await store.cutDraft(name, 0);
      expect(await store.draftSize(name)).toBe(0);
    });

    test('a writer that does not begin where the draft ends is refused with that place, and writes nothing', async () => {
      const name = await draft(Buffer.from('0123456789'));
      for (const from of [0, 9, 11]) {
        await expect(write(name, from, Buffer.from('x'))).rejects.toMatchObject({ name: 'NotItsEnd', expected: 10 });
      }
      await expect(write(await draft(), 1, Buffer.from('x'))).rejects.toMatchObject({ expected: 0 });
      expect(await store.draftSize(name)).toBe(10);
      await write(name, 10, Buffer.from('x'));
      expect((await contentOf(name)).toString()).toBe('0123456789x');
    });

    test('one that is deleted is gone, as often as it is deleted', async () => {
      const name = await draft(Buffer.from('x'));
      for (let times = 0; times < 2; times += 1) await store.deleteDraft(name);
      expect(await store.draftSize(name)).toBeUndefined();
    });

    test('another process goes on under a name of its own, and nothing comes by the old one any more', async () => {
      const name = await draft(Buffer.from('from one '));
      const own = randomUUID();
      const hash = await world.other.copyDraft(name, own);
      await world.rename(name, own);
      await world.other.deleteDraft(name);
      if (hash !== undefined) {
        expect(hash.digest('hex')).toBe(createHash('sha256').update('from one ').digest('hex'));
      }
      await write(own, 9, Buffer.from('and the other'), world.other);
      await expect(write(name, 9, Buffer.from('late'))).rejects.toThrow();
      expect((await contentOf(own)).toString()).toBe('from one and the other');
    });

    test('a noted digest counts only for what it was noted of', async () => {
      const name = await draft(Buffer.from('noted'));
      await store.noteSha256(name, 5, 'the digest');
      expect(await store.notedSha256(name, 5)).toBe(kind === 's3' ? 'the digest' : undefined);
      expect(await store.notedSha256(name, 4)).toBeUndefined();
      await write(name, 5, Buffer.from('!'));
      for (const size of [5, 6]) expect(await store.notedSha256(name, size)).toBeUndefined();
    });

    test('a blob is there once it is kept and not before, whole and in parts', async () => {
      const bytes = Buffer.from('0123456789');
      const digest = digestOf(bytes);
      const name = await draft(bytes);
      const settled = await store.settle(name, digest);
      await settled.keep();
      await settled.done();
      expect(await store.draftSize(name)).toBeUndefined();
      expect(await world.other.blobSize(digest)).toBe(10);
      expect(await buffer(await store.readBlob(digest))).toEqual(bytes);
      for (const [first, last] of [
        [0, 0],
        [2, 5],
        [9, 9],
      ] as const) {
        const part = await buffer(await store.readBlob(digest, { first, last }));
        expect(part).toEqual(bytes.subarray(first, last + 1));
      }
      await store.deleteBlob(digest);
      await store.deleteBlob(digest);
      expect(await store.blobSize(digest)).toBeUndefined();
    });

    test.each([
      ['of nothing', []],
      ['of many small chunks', Array.from({ length: 12 }, (_, size) => size * 1000 + 1)],
      ['of small chunks between large ones', [100, 9 * megabyte, 7, 5, 6 * megabyte, 1]],
      ['of one body of many parts', [30 * megabyte + 1]],
    ])('a blob %s is what was pushed', async (_, sizes) => {
      const { digest, bytes } = await kept(...sizes.map((size) => randomBytes(size)));
      expect(await store.blobSize(digest)).toBe(bytes.length);
      expect((await buffer(await store.readBlob(digest))).equals(bytes)).toBe(true);
    });

    test('the same blob twice is one', async () => {
      const bytes = randomBytes(1000);
      await kept(bytes);
      const { digest } = await kept(bytes);
      expect(await buffer(await store.readBlob(digest))).toEqual(bytes);
    });

    test('names that are none lead nowhere', async () => {
      const outside = '../../../../../../../../../../tmp/x';
      await expect(store.createDraft(outside)).rejects.toThrow(/is no name/);
      for (const digest of [outside, 'sha256:../..', `md5:${'a'.repeat(64)}`]) {
        await expect(store.blobSize(digest)).rejects.toThrow(/is no digest/);
      }
    });

    test('nothing young is a leftover', async () => {
      const name = await draft(Buffer.from('young'));
      const { digest } = await kept(Buffer.from('young too'));
      expect(await store.oldDrafts()).toEqual([]);
      for await (const digests of store.oldBlobs()) expect(digests).toEqual([]);
      await store.sweepRemains();
      expect([await store.draftSize(name), await store.blobSize(digest)]).toEqual([5, 9]);
    });
  });
});

describe.skipIf(!bucketsAreThere)('in a bucket', () => {
  let world: Awaited<ReturnType<typeof inBucket>>;
  beforeAll(async () => {
    world = await inBucket();
  });
  afterAll(() => world.stop());

  const stored = async (bytes: Buffer) => {
    const name = randomUUID();
    await world.store.createDraft(name);
    await pour(asBody(bytes), await world.store.writeDraft(name, 0), () => undefined);
    return name;
  };

  test('a push leaves the blob at the path that it has on disk, and no part, upload or row', async () => {
    const bytes = randomBytes(20 * megabyte);
    const digest = digestOf(bytes);
    const name = await stored(bytes);
    expect((await world.bucket.keys('drafts/')).length).toBe(3);
    const settled = await world.store.settle(name, digest);
    await settled.keep();
    await settled.done();
    const digits = digest.slice(7);
    expect(await world.bucket.keys()).toEqual([`blobs/sha256/${digits.slice(0, 2)}/${digits}`]);
    expect(await world.bucket.uploads()).toEqual([]);
    const { rows } = await sql`select name from registry_draft`.execute(world.fresh.database.kysely);
    expect(rows).toEqual([]);
  });

  test('a blob that was swept between its last byte and its row is put together again', async () => {
    const bytes = randomBytes(10);
    const name = await stored(bytes);
    const settled = await world.store.settle(name, digestOf(bytes));
    await world.store.deleteBlob(digestOf(bytes));
    expect(await settled.keep()).toBe(false);
    expect(await (await world.store.settle(name, digestOf(bytes))).keep()).toBe(true);
  });

  test('what processes left that died between two steps is swept, and what an upload needs is not', async () => {
    const client = new S3Client(world.bucket.target);
    const name = await stored(randomBytes(10));
    await client.put(`drafts/${randomUUID()}/${randomUUID()}`, { pieces: [Buffer.from('no row says so')] });
    await client.beginMultipart('blobs/sha256/aa/never-completed');
    const beyond = Date.now() + 2 * 86_400_000;
    const known = await world.store.draftSize(name);
    const before = (await world.bucket.keys('drafts/')).length;
    await world.store.sweepRemains();
    expect((await world.bucket.keys('drafts/')).length).toBe(before);
    const later = new S3Store({
      client,
      kysely: world.fresh.database.kysely,
      watch: new BucketWatch(pino({ level: 'silent' })),
      now: () => beyond,
    });
    await later.sweepRemains();
    expect((await world.bucket.keys('drafts/')).length).toBe(before - 1);
    expect(await world.bucket.uploads()).toEqual([]);
    expect((await buffer(await world.store.readDraft(name))).length).toBe(known);
    await later.close();
  });
});
