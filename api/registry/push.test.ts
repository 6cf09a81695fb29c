import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { blobOf, digestOf, imageOf, RegistryClient, types } from '../../test/registry/registry-client.ts';
import { type SeededRepository, seedRepository } from '../../test/registry/seed-repository.ts';

let api: RunningApi;
let organization: Seeded;
let repository: SeededRepository;
let client: RegistryClient;

beforeAll(async () => {
  api = await runningApi();
  organization = await seed(api.database);
  repository = await seedRepository(api.database, organization);
  client = as(repository);
});

afterAll(() => api.close());

function as({ path }: SeededRepository): RegistryClient {
  const { deployer } = organization.tokens;
  return new RegistryClient(api.url, path, 'token' in deployer ? deployer.token : '');
}

describe('the base', () => {
  test('answers 200 to a credential, and names the protocol', async () => {
    for (const path of ['/v2', '/v2/']) {
      const { status, headers } = await client.ask('GET', path);
      expect(status).toBe(200);
      expect(headers.get('docker-distribution-api-version')).toBe('registry/2.0');
    }
  });
});

describe('pushing a blob', () => {
  test('POST then PUT: the whole blob in one request', async () => {
    const blob = blobOf('post then put');
    const begun = await client.ask('POST', 'blobs/uploads/');
    expect(begun.status).toBe(202);
    expect(begun.headers.get('range')).toBe('0-0');
    expect(begun.headers.get('location')).toBe(
      `/v2/${repository.path}/blobs/uploads/${begun.headers.get('docker-upload-uuid')}`,
    );
    const put = await client.ask('PUT', `${begun.headers.get('location')}?digest=${blob.digest}`, { body: blob.bytes });
    expect(put.status).toBe(201);
    expect(put.headers.get('location')).toBe(`/v2/${repository.path}/blobs/${blob.digest}`);
    expect(put.headers.get('docker-content-digest')).toBe(blob.digest);
    expect((await client.ask('GET', `blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
  });

  test('single POST: the digest in the query, the blob in the body', async () => {
    const blob = blobOf('single post');
    const posted = await client.ask('POST', `blobs/uploads/?digest=${blob.digest}`, { body: blob.bytes });
    expect(posted.status).toBe(201);
    expect(posted.headers.get('location')).toBe(`/v2/${repository.path}/blobs/${blob.digest}`);
    expect((await client.ask('GET', `blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
  });
});

describe('pushing a manifest', () => {
  test('by tag, and pulled by tag and by digest', async () => {
    const { digest, manifest } = await client.pushImage('an image', 'v1');
    const bytes = Buffer.from(JSON.stringify(manifest));
    for (const reference of ['v1', digest]) {
      const got = await client.ask('GET', `manifests/${reference}`);
      expect(got.status).toBe(200);
      expect(got.bytes).toEqual(bytes);
      expect(got.headers.get('content-type')).toBe(types.manifest);
      expect(got.headers.get('docker-content-digest')).toBe(digest);
    }
  });
});
void [digestOf, imageOf];
