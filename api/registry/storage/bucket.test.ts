import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { S3Client } from '../../../outbound/s3/s3-client.ts';
import { asBody, inBucket, megabyte } from '../../../test/registry/blob-stores.ts';
import { bucketsAreThere } from '../../../test/registry/bucket.ts';
import { digestOf } from '../../../test/registry/registry-client.ts';
import { pour } from './disk-store.ts';
import { BucketWatch, S3Store } from './s3-store.ts';

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
