import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blobOf, digestOf, type RegistryClient } from './registry-client.ts';
import { type RegistryWorld, registryWorld } from './registry-world.ts';
import type { Storage } from './storages.ts';

/** How blobs are pushed, mounted and pulled, on a storage. */
export function pushRules(storage: Storage): void {
  let world: RegistryWorld;
  let client: RegistryClient;

  beforeAll(async () => {
    world = await registryWorld({}, storage);
    client = world.client();
  });

  afterAll(() => world.close());

  test('the base answers 200 to a credential, and names the protocol', async () => {
    for (const path of ['/v2', '/v2/']) {
      const { status, headers } = await client.ask('GET', path);
      expect(status).toBe(200);
      expect(headers.get('docker-distribution-api-version')).toBe('registry/2.0');
    }
  });

  describe('a blob in one piece', () => {
    test('POST then PUT', async () => {
      const blob = blobOf('post then put');
      const { path } = world.repository;
      const begun = await client.ask('POST', 'blobs/uploads/');
      expect(begun.status).toBe(202);
      expect(begun.headers.get('range')).toBe('0-0');
      const id = begun.headers.get('docker-upload-uuid');
      expect(begun.headers.get('location')).toBe(`/v2/${path}/blobs/uploads/${id}`);
      const put = await client.ask('PUT', `blobs/uploads/${id}?digest=${blob.digest}`, { body: blob.bytes });
      expect(put.status).toBe(201);
      expect(put.headers.get('location')).toBe(`/v2/${path}/blobs/${blob.digest}`);
      expect(put.headers.get('docker-content-digest')).toBe(blob.digest);
      expect((await client.ask('GET', `blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
      expect((await client.ask('GET', `blobs/uploads/${id}`)).code).toBe('BLOB_UPLOAD_UNKNOWN');
    });

    test('a single POST', async () => {
      const blob = blobOf('single post');
      const posted = await client.ask('POST', `blobs/uploads/?digest=${blob.digest}`, { body: blob.bytes });
      expect(posted.status).toBe(201);
      expect((await client.ask('GET', `blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
    });

    test('of nothing, and under a digest of sha512', async () => {
      const empty = blobOf('');
      expect((await client.pushBlob(empty)).status).toBe(201);
      const got = await client.ask('GET', `blobs/${empty.digest}`);
      expect([got.status, got.headers.get('content-length'), got.bytes.length]).toEqual([200, '0', 0]);
      const bytes = Buffer.from('by another algorithm');
      const digest = digestOf(bytes, 'sha512');
      expect((await client.pushBlob({ digest, bytes })).status).toBe(201);
      expect((await client.ask('GET', `blobs/${digest}`)).bytes).toEqual(bytes);
    });

    test('with another digest than it has is DIGEST_INVALID, and the upload is over', async () => {
      const place = await client.begin();
      const put = await client.ask('PUT', `${place}?digest=${blobOf('one').digest}`, { body: 'another' });
      expect([put.status, put.code]).toEqual([400, 'DIGEST_INVALID']);
      expect((await client.ask('GET', place)).status).toBe(404);
      expect((await client.ask('HEAD', `blobs/${blobOf('another').digest}`)).status).toBe(404);
    });

    test.each(['', 'sha256:short', 'md5:d41d8cd98f00b204e9800998ecf8427e', 'sha256:../../../etc/passwd'])(
      'without a digest that can be one is DIGEST_INVALID: %j',
      async (digest) => {
        const put = await client.ask('PUT', `${await client.begin()}?digest=${encodeURIComponent(digest)}`, {
          body: 'x',
        });
        expect([put.status, put.code]).toEqual([400, 'DIGEST_INVALID']);
      },
    );
  });

  describe('a blob in chunks', () => {
    const blob = blobOf('the first part, and the second part, and the last');
    const part = (first: number, last: number) => ({
      body: blob.bytes.subarray(first, last + 1),
      headers: { 'content-range': `${first}-${last}` },
    });

    test('in order, the last one with the PUT; the status says how far it is', async () => {
      const place = await client.begin();
      const first = await client.ask('PATCH', place, part(0, 14));
      expect([first.status, first.headers.get('range')]).toEqual([202, '0-14']);
      expect(first.headers.get('location')).toBe(place);
      const second = await client.ask('PATCH', place, part(15, 35));
      expect([second.status, second.headers.get('range')]).toEqual([202, '0-35']);
      const status = await client.ask('GET', place);
      expect([status.status, status.headers.get('range'), status.headers.get('location')]).toEqual([
        204,
        '0-35',
        place,
      ]);
      const put = await client.ask('PUT', `${place}?digest=${blob.digest}`, part(36, blob.size - 1));
      expect(put.status).toBe(201);
      expect((await client.ask('GET', `blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
    });

    test('out of order is 416 with the place and what is there, and changes nothing', async () => {
      const place = await client.begin();
      await client.ask('PATCH', place, part(0, 14));
      for (const [first, last] of [
        [20, 30],
        [0, 14],
      ] as const) {
        const wrong = await client.ask('PATCH', place, part(first, last));
        expect([wrong.status, wrong.headers.get('range'), wrong.headers.get('location')]).toEqual([416, '0-14', place]);
      }
      const put = await client.ask('PUT', `${place}?digest=${blob.digest}`, part(15, blob.size - 1));
      expect(put.status).toBe(201);
    });

    test('whose length is not that of its Content-Range is SIZE_INVALID, and the chunk did not come', async () => {
      const place = await client.begin();
      const wrong = await client.ask('PATCH', place, { body: 'abcdef', headers: { 'content-range': '0-2' } });
      expect([wrong.status, wrong.code]).toEqual([400, 'SIZE_INVALID']);
      const short = await client.ask('PATCH', place, { body: 'ab', headers: { 'content-range': '0-2' } });
      expect([short.status, short.code]).toEqual([400, 'SIZE_INVALID']);
      expect((await client.ask('GET', place)).headers.get('range')).toBe('0-0');
      expect((await client.ask('PATCH', place, { body: 'x', headers: { 'content-range': 'x-y' } })).status).toBe(416);
    });

    test('without Content-Range goes to the end of what is there', async () => {
      const place = await client.begin();
      await client.ask('PATCH', place, { body: blob.bytes.subarray(0, 10) });
      await client.ask('PATCH', place, { body: blob.bytes.subarray(10) });
      expect((await client.ask('PUT', `${place}?digest=${blob.digest}`)).status).toBe(201);
    });

    test('that is cancelled is over', async () => {
      const place = await client.begin();
      await client.ask('PATCH', place, part(0, 14));
      expect((await client.ask('DELETE', place)).status).toBe(204);
      expect((await client.ask('PATCH', place, part(15, 20))).code).toBe('BLOB_UPLOAD_UNKNOWN');
      expect((await client.ask('DELETE', place)).code).toBe('BLOB_UPLOAD_UNKNOWN');
    });

    test('whose id is none, or that of another repository, is BLOB_UPLOAD_UNKNOWN', async () => {
      const place = await client.begin();
      const id = place.split('/').at(-1);
      expect((await world.client(world.other).ask('GET', `blobs/uploads/${id}`)).code).toBe('BLOB_UPLOAD_UNKNOWN');
      expect((await client.ask('GET', 'blobs/uploads/..%2f..%2fetc')).code).toBe('BLOB_UPLOAD_UNKNOWN');
    });
  });

  describe('mounting', () => {
    test('gives the repository a blob of another one without its bytes', async () => {
      const blob = blobOf('to be mounted');
      await client.pushBlob(blob);
      const there = world.client(world.other);
      expect((await there.ask('HEAD', `blobs/${blob.digest}`)).status).toBe(404);
      const mounted = await there.ask('POST', `blobs/uploads/?mount=${blob.digest}&from=${world.repository.path}`);
      expect([mounted.status, mounted.headers.get('location')]).toEqual([
        201,
        `/v2/${world.other.path}/blobs/${blob.digest}`,
      ]);
      expect((await there.ask('GET', `blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
    });

    test('of what is not there, from nowhere or without a source begins an upload', async () => {
      const { digest } = blobOf('nowhere');
      for (const query of [`&from=${world.repository.path}`, '&from=no/such/thing', '&from=a/b/c/d', '']) {
        const begun = await world.client(world.other).ask('POST', `blobs/uploads/?mount=${digest}${query}`);
        expect([begun.status, begun.headers.get('location')?.includes('/blobs/uploads/')]).toEqual([202, true]);
      }
    });
  });

  describe('pulling a blob', () => {
    const blob = blobOf('0123456789');
    beforeAll(() => client.pushBlob(blob));

    test('HEAD tells its size and digest', async () => {
      const { status, headers } = await client.ask('HEAD', `blobs/${blob.digest}`);
      expect(status).toBe(200);
      expect(headers.get('content-length')).toBe('10');
      expect(headers.get('docker-content-digest')).toBe(blob.digest);
    });

    test.each([
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,4-5', 200, '0123456789', null],
      ['lines=1-2', 200, '0123456789', null],
    ])('Range: %s', async (range, status, text, contentRange) => {
      const got = await client.ask('GET', `blobs/${blob.digest}`, { headers: { range } });
      expect([got.status, got.bytes.toString(), got.headers.get('content-range')]).toEqual([
        status,
        text,
        contentRange,
      ]);
    });

    test('a range outside of it is 416', async () => {
      const got = await client.ask('GET', `blobs/${blob.digest}`, { headers: { range: 'bytes=10-' } });
      expect([got.status, got.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    });

    test('one that is not there is BLOB_UNKNOWN, and a digest that is none DIGEST_INVALID', async () => {
      expect((await client.ask('GET', `blobs/${blobOf('unknown').digest}`)).code).toBe('BLOB_UNKNOWN');
      expect((await client.ask('GET', 'blobs/sha256:..')).code).toBe('DIGEST_INVALID');
    });
  });
}
