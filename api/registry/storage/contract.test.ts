import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asBody, inBucket, megabyte, onDisk, type World } from '../../../test/registry/blob-stores.ts';
import { bucketsAreThere } from '../../../test/registry/bucket.ts';
import { digestOf } from '../../../test/registry/registry-client.ts';
import type { BlobStore } from './blob-store.ts';
import { pour } from './disk-store.ts';

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
      const [first, second] = [randomBytes(100), randomBytes(9 * megabyte)];
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
      ['of small chunks between large ones', [100, 9 * megabyte, 7, 1]],
      ['of one body of many parts', [16 * megabyte + 1]],
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

    test('many small blobs are there once they are kept, and one that went meanwhile is put there again', async () => {
      // So many that the one that is gone is hardly ever the last that the store is asked for.
      const texts = ['', 'one', ...Array.from({ length: 30 }, (_, number) => `more ${number}`)];
      const blobs = texts.map((text) => ({
        digest: digestOf(Buffer.from(text)),
        bytes: Buffer.from(text),
      }));
      const gone = await store.settleBlobs(blobs);
      await store.deleteBlob(blobs[1]?.digest ?? '');
      const whole = await gone.keep();
      await gone.done();
      expect(whole).toBe(kind === 'disk');
      for (let times = 0; times < 2; times += 1) {
        const settled = await world.other.settleBlobs(blobs);
        expect(await settled.keep()).toBe(true);
        await settled.done();
      }
      for (const { digest, bytes } of blobs) expect(await buffer(await store.readBlob(digest))).toEqual(bytes);
      const given = await store.settleBlobs([{ digest: digestOf(Buffer.from('x')), bytes: Buffer.from('x') }]);
      await given.done();
      if (kind === 'disk') expect(await store.blobSize(digestOf(Buffer.from('x')))).toBeUndefined();
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
