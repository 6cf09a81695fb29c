import { afterAll, describe, expect, test } from 'vitest';
import { readImageConfig, resolveManifest } from '../../db/registry/references.ts';
import { blobOf, digestOf, imageOf, types } from '../../test/registry/registry-client.ts';
import { registryWorld } from '../../test/registry/registry-world.ts';

const world = await registryWorld({ REGISTRY_MANIFESTS_PER_REPOSITORY: '24' });
const client = world.client();

afterAll(() => world.close());

test('a manifest is pulled as it was pushed, by tag and by digest, with GET and HEAD', async () => {
  const { digest, manifest } = await client.pushImage('an image', 'v1');
  const bytes = Buffer.from(JSON.stringify(manifest));
  for (const reference of ['v1', digest]) {
    const got = await client.ask('GET', `manifests/${reference}`);
    expect([got.status, got.bytes]).toEqual([200, bytes]);
    expect(got.headers.get('content-type')).toBe(types.manifest);
    expect(got.headers.get('docker-content-digest')).toBe(digest);
    const head = await client.ask('HEAD', `manifests/${reference}`);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    expect(head.headers.get('content-type')).toBe(types.manifest);
  }
  const names = ['none', '.INVALID_MANIFEST_NAME', 'sha256:abc', 'a'.repeat(129), digestOf(Buffer.from('none'))];
  for (const name of names) {
    const got = await client.ask('GET', `manifests/${name}`);
    expect([name, got.status, got.code]).toEqual([name, 404, 'MANIFEST_UNKNOWN']);
    expect([name, (await client.ask('HEAD', `manifests/${name}`)).status]).toEqual([name, 404]);
  }
});

test('a tag moves to what is pushed last', async () => {
  await client.pushImage('first', 'moving');
  const { digest } = await client.pushImage('second', 'moving');
  expect((await client.ask('HEAD', 'manifests/moving')).headers.get('docker-content-digest')).toBe(digest);
});

describe('a manifest that names what is not there', () => {
  test('a blob, or a manifest of a list, is MANIFEST_BLOB_UNKNOWN', async () => {
    const [config, layer] = [blobOf('{}'), blobOf('never pushed')];
    await client.pushBlob(config);
    const image = await client.pushManifest(imageOf(config, [layer]), 'incomplete');
    expect([image.status, image.code]).toEqual([404, 'MANIFEST_BLOB_UNKNOWN']);
    const list = await client.pushManifest(
      { schemaVersion: 2, manifests: [{ mediaType: types.manifest, digest: layer.digest, size: 3 }] },
      'incomplete',
      types.index,
    );
    expect([list.status, list.code]).toEqual([404, 'MANIFEST_BLOB_UNKNOWN']);
    expect((await client.ask('HEAD', 'manifests/incomplete')).status).toBe(404);
  });

  test('a blob of another repository does not count', async () => {
    const { config, layer } = await client.pushImage('in the first repository');
    const pushed = await world.client(world.other).pushManifest(imageOf(config, [layer]), 'v1');
    expect(pushed.code).toBe('MANIFEST_BLOB_UNKNOWN');
  });

  test('a blob of another size is MANIFEST_INVALID', async () => {
    const { config, layer } = await client.pushImage('of a size');
    const pushed = await client.pushManifest(imageOf(config, [{ ...layer, size: layer.size + 1 }]), 'v1');
    expect(pushed.code).toBe('MANIFEST_INVALID');
  });

  test('a layer that is fetched elsewhere may be missing', async () => {
    const config = blobOf('{}');
    await client.pushBlob(config);
    const manifest = {
      schemaVersion: 2,
      config: { mediaType: types.config, digest: config.digest, size: 2 },
      layers: [{ mediaType: types.layer, digest: blobOf('x').digest, size: 1, urls: ['https://example.com/layer'] }],
    };
    expect((await client.pushManifest(manifest, 'foreign')).status).toBe(201);
  });
});

describe('an invalid manifest', () => {
  test.each([
    ['no JSON', 'no json', types.manifest],
    ['a list instead of an object', '[]', types.manifest],
    ['another schema', JSON.stringify({ schemaVersion: 1, fsLayers: [] }), types.manifest],
    ['no configuration', JSON.stringify({ schemaVersion: 2, layers: [] }), types.manifest],
    ['a type of its own', JSON.stringify({ schemaVersion: 2 }), 'application/json'],
    ['plain text', JSON.stringify({ schemaVersion: 2 }), 'text/plain'],
    ['the first schema of Docker', '{}', 'application/vnd.docker.distribution.manifest.v1+prettyjws'],
    ['two types', JSON.stringify({ schemaVersion: 2, mediaType: types.manifest, manifests: [] }), types.index],
    ['an image and a list at once', JSON.stringify({ schemaVersion: 2, manifests: [], layers: [] }), types.index],
    [
      'a digest that is none',
      JSON.stringify({ schemaVersion: 2, manifests: [{ digest: '../x', size: 1 }] }),
      types.index,
    ],
    ['JSON without an end', '['.repeat(100_000), types.manifest],
  ])('%s', async (_, body, type) => {
    const put = await client.ask('PUT', 'manifests/bad', { body, headers: { 'content-type': type } });
    expect([put.status, put.code]).toEqual([400, 'MANIFEST_INVALID']);
  });

  test('more than 4 MiB is refused before it is read, with and without a length', async () => {
    const body = Buffer.alloc(4 * 1024 * 1024 + 1, ' ');
    const headers = { 'content-type': types.manifest };
    const put = await client.ask('PUT', 'manifests/large', { body, headers });
    expect([put.status, put.code]).toEqual([413, 'MANIFEST_INVALID']);
  });

  test('another digest than it has is DIGEST_INVALID; a name that is none is refused', async () => {
    const { manifest } = await client.pushImage('by digest');
    const put = await client.pushManifest(manifest, digestOf(Buffer.from('another')));
    expect([put.status, put.code]).toEqual([400, 'DIGEST_INVALID']);
    expect((await client.pushManifest(manifest, 'sha256:abc')).code).toBe('DIGEST_INVALID');
    expect((await client.pushManifest(manifest, '-dash')).status).toBe(400);
    expect((await client.pushManifest(manifest, 'a'.repeat(129))).status).toBe(400);
  });

  test('text that PostgreSQL cannot hold breaks nothing', async () => {
    const { config, layer } = await client.pushImage('with strange text');
    const strange = {
      ...imageOf(config, [layer]),
      subject: { mediaType: types.manifest, digest: digestOf(Buffer.from('s')), size: 1 },
      annotations: { zero: 'a\u0000b', half: '\ud800' },
    };
    const put = await client.pushManifest(strange);
    expect(put.status).toBe(201);
    expect((await client.ask('GET', `manifests/${put.digest}`)).bytes.toString()).toBe(JSON.stringify(strange));
  });
});

describe('deleting', () => {
  test('a tag leaves the manifest, a digest takes all its tags', async () => {
    const { digest, manifest } = await client.pushImage('to be deleted', 'gone');
    await client.pushManifest(manifest, 'stays');
    expect((await client.ask('DELETE', 'manifests/gone')).status).toBe(202);
    expect((await client.ask('HEAD', 'manifests/gone')).status).toBe(404);
    expect((await client.ask('HEAD', 'manifests/stays')).status).toBe(200);
    expect((await client.ask('DELETE', `manifests/${digest}`)).status).toBe(202);
    expect((await client.ask('HEAD', 'manifests/stays')).status).toBe(404);
    expect((await client.ask('DELETE', `manifests/${digest}`)).code).toBe('MANIFEST_UNKNOWN');
    expect((await client.ask('DELETE', 'manifests/gone')).code).toBe('MANIFEST_UNKNOWN');
    const { admin } = world.organization.tokens;
    const log = await admin.get('/audit-log?subjectKind=image&limit=4');
    const { path } = world.repository;
    expect(log.body.items).toMatchObject([
      { action: 'image.deleted', subject: { name: `${path}@${digest}` } },
      { action: 'image.deleted', subject: { name: `${path}:gone` } },
      { action: 'image.pushed', subject: { name: `${path}:stays` }, details: { digest } },
      { action: 'image.pushed', subject: { name: `${path}:gone` }, details: { digest } },
    ]);
  });

  test('a blob that a manifest names is refused, and goes once that is deleted', async () => {
    const { digest, layer } = await client.pushImage('named');
    const refused = await client.ask('DELETE', `blobs/${layer.digest}`);
    expect([refused.status, refused.code]).toEqual([405, 'UNSUPPORTED']);
    await client.ask('DELETE', `manifests/${digest}`);
    expect((await client.ask('DELETE', `blobs/${layer.digest}`)).status).toBe(202);
    expect((await client.ask('HEAD', `blobs/${layer.digest}`)).status).toBe(404);
    expect((await client.ask('DELETE', `blobs/${layer.digest}`)).code).toBe('BLOB_UNKNOWN');
  });
});

test('others ask what a tag means, and how the image starts, of one image and of a list', async () => {
  const { digest } = await client.pushImage('for others', 'asked');
  const size = Number((await client.ask('HEAD', `manifests/${digest}`)).headers.get('content-length'));
  const list = await client.pushManifest(
    { schemaVersion: 2, manifests: [{ mediaType: types.manifest, digest, size }] },
    'list',
    types.index,
  );
  const { kysely } = world.api.database;
  const { organizationId, serviceId } = world.repository;
  expect(await resolveManifest(kysely, organizationId, serviceId, 'asked')).toMatchObject({
    digest,
    mediaType: types.manifest,
  });
  expect(await resolveManifest(kysely, organizationId, serviceId, 'list')).toMatchObject({ digest: list.digest });
  expect(await resolveManifest(kysely, organizationId, world.other.serviceId, digest)).toBeUndefined();
  for (const one of [digest, list.digest]) {
    const [variant] = await readImageConfig(kysely, organizationId, serviceId, one);
    expect(variant).toMatchObject({ digest, config: { config: { ExposedPorts: { '8080/tcp': {} } } } });
  }
});

test('more images than the setting allows are DENIED, in a sentence that names it', async () => {
  const crowded = world.client(world.other);
  for (let number = 0; number < 24; number += 1) await crowded.pushImage(`image ${number}`);
  const config = blobOf('{"one": "more"}');
  await crowded.pushBlob(config);
  const put = await crowded.pushManifest(imageOf(config, []));
  expect([put.status, put.code]).toEqual([403, 'DENIED']);
  expect(put.bytes.toString()).toContain('REGISTRY_MANIFESTS_PER_REPOSITORY');
});
