import { randomBytes } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../test/ground/free-port.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../test/registry/bucket.ts';
import { leastPartBytes, S3Client } from './s3-client.ts';
import { S3Absent, S3Failed } from './s3-failures.ts';

let bucket: Bucket;
let client: S3Client;

describe.skipIf(!bucketsAreThere)('a real bucket', () => {
  beforeAll(async () => {
    bucket = await startBucket();
    ({ client } = bucket);
  });
  afterAll(() => bucket.stop());

  const put = (key: string, text: string | Buffer) => client.put(key, { pieces: [Buffer.from(text)] });
  const text = async (key: string, range?: { first: number; last: number }) =>
    (await buffer(await client.get(key, range))).toString();

  test('keeps an object, tells its size, answers parts of it, copies and deletes it', async () => {
    await client.put('one/object', { pieces: [Buffer.from('0123'), Buffer.from('456789')] });
    expect(await client.size('one/object')).toBe(10);
    expect(await text('one/object')).toBe('0123456789');
    expect(await text('one/object', { first: 2, last: 4 })).toBe('234');
    await client.copy('one/object', 'one/copy');
    expect(await text('one/copy')).toBe('0123456789');
    await client.delete('one/object');
    await client.delete('one/object');
    expect(await client.size('one/object')).toBeUndefined();
    await expect(client.get('one/object')).rejects.toThrow(S3Absent);
    await put('one/empty', '');
    expect([await client.size('one/empty'), await text('one/empty')]).toEqual([0, '']);
  });

  test('lists what begins so, with times, without the prefix of all', async () => {
    for (const name of ['a', 'b & <c>', 'sha256/d']) await put(`listed/${name}`, name);
    await put('elsewhere/x', 'x');
    const pages: { key: string; size: number; changedAt: Date }[] = [];
    for await (const page of client.list('listed/')) pages.push(...page);
    expect(pages.map(({ key, size }) => [key, size])).toEqual([
      ['listed/a', 1],
      ['listed/b & <c>', 7],
      ['listed/sha256/d', 8],
    ]);
    for (const { changedAt } of pages) expect(Math.abs(Date.now() - changedAt.getTime())).toBeLessThan(3_600_000);
    const whole = new S3Client({ ...bucket.target, prefix: '' });
    expect(await whole.size('images/listed/a')).toBe(1);
    await whole.close();
  });

  test('joins parts, sent and copied, and shows nothing before', async () => {
    const [first, second] = [randomBytes(leastPartBytes), randomBytes(leastPartBytes + 1)];
    await put('part', second);
    const id = await client.beginMultipart('joined');
    const parts = [
      await client.copyPart('joined', id, 2, 'part'),
      await client.putPart('joined', id, 1, { pieces: [first] }),
      await client.putPart('joined', id, 3, { pieces: [Buffer.from('end')] }),
    ];
    expect(await client.size('joined')).toBeUndefined();
    expect(await bucket.uploads()).toEqual([id]);
    await client.completeMultipart('joined', id, parts);
    expect((await buffer(await client.get('joined'))).equals(Buffer.concat([first, second, Buffer.from('end')]))).toBe(
      true,
    );
    expect(await bucket.uploads()).toEqual([]);
  });

  test('forgets an upload that is aborted, and refuses one whose parts it does not have', async () => {
    const id = await client.beginMultipart('aborted');
    const part = await client.putPart('aborted', id, 1, { pieces: [Buffer.from('x')] });
    await expect(client.completeMultipart('aborted', id, [{ ...part, etag: '"another"' }])).rejects.toThrow(
      /InvalidPart/,
    );
    await client.abortMultipart('aborted', id);
    await client.abortMultipart('aborted', id);
    expect(await bucket.uploads()).toEqual([]);
    await expect(client.completeMultipart('aborted', id, [part])).rejects.toThrow(S3Failed);
  });

  test('is reached by its name in the host, too, where a dispatcher says which address that is', async () => {
    const asked: string[] = [];
    const lookup: LookupFunction = (host, _, answer) => {
      asked.push(host);
      answer(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const { port } = new URL(bucket.target.endpoint);
    const target = { ...bucket.target, endpoint: `http://buckets.test:${port}`, pathStyle: false };
    const named = new S3Client(target, new Agent({ connect: { lookup } }));
    await named.put('by/name', { pieces: [Buffer.from('named')] });
    await named.copy('by/name', 'by/copy');
    expect(await text('by/copy')).toBe('named');
    expect(new Set(asked)).toEqual(new Set(['pushed.buckets.test']));
    await named.close();
  });

  test('refuses bytes that are not those of the signature', async () => {
    const body = { pieces: [Buffer.from('changed on the way')], sha256: 'a'.repeat(64) };
    await expect(client.put('changed', body)).rejects.toThrow(/XAmzContentSHA256Mismatch/);
    expect(await client.size('changed')).toBeUndefined();
  });

  test.each([
    [
      'another secret',
      { secretAccessKey: 'hunter2-hunter2' },
      /403 SignatureDoesNotMatch: its secret access key is another/,
    ],
    ['another key', { accessKeyId: 'nobody' }, /40[34] (InvalidAccessKeyId: it does not know|XAdminUserNotFound)/],
    ['another bucket', { bucket: 'nothing-here' }, /404 NoSuchBucket: there is no such bucket/],
  ])('is not opened with %s, and no message has a secret', async (_, wrong, message) => {
    const closed = new S3Client({ ...bucket.target, ...wrong });
    for (const ask of [() => closed.reach(), () => closed.put('x', { pieces: [Buffer.from('x')] })]) {
      const error = await ask().then(
        () => undefined,
        (failure: unknown) => failure,
      );
      expect(error).toBeInstanceOf(S3Failed);
      expect(String(error)).toMatch(message);
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error)).not.toMatch(
        /hunter2|the-secret|Signature=/,
      );
    }
    await closed.close();
  });
});

test('a bucket that cannot be reached is told with its place and the code of the network', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const target = {
    endpoint,
    region: 'r',
    bucket: 'away',
    pathStyle: true,
    prefix: '',
    accessKeyId: 'a',
    secretAccessKey: 'b',
  };
  const nowhere = new S3Client(target);
  await expect(nowhere.reach()).rejects.toThrow(
    `The bucket away at ${new URL(endpoint).host} cannot be reached: ECONNREFUSED.`,
  );
  await nowhere.close();
});
