import { afterAll, describe, expect, test } from 'vitest';
import type { SourceFile } from '../../../domain/builds/manifest.ts';
import { type Credential, seedToken } from '../../../test/installation/running-api.ts';
import { type Blob, blobOf } from '../../../test/registry/registry-client.ts';
import { registryWorld } from '../../../test/registry/registry-world.ts';
import { type SeededRepository, seedRepository } from '../../../test/registry/seed-repository.ts';

const world = await registryWorld({
  BUILD_SOURCE_FILES: '11000',
  REGISTRY_BYTES_PER_BLOB: '2000000',
  REGISTRY_BYTES_PER_ORGANIZATION: '3000000',
});
const stranger = await world.api.organization();

afterAll(() => world.close());

interface Told {
  source: { id: string; digest: string; sizeBytes: number; createdAt: string };
  missing: string[];
}

const file = (path: string, { digest, size }: Blob, kind: SourceFile['kind'] = 'file'): SourceFile => ({
  ...{ path, kind, size, digest },
});

async function announce(files: unknown, of: SeededRepository = world.repository, as?: Credential) {
  const by = as ?? world.organization.tokens.deployer;
  const answer = await world.api.as(by).post(`/services/${of.serviceId}/sources`, { files });
  return { ...answer, told: answer.body as unknown as Told };
}

async function missingOf(id: string, of: SeededRepository = world.repository): Promise<string[]> {
  const as = world.organization.tokens.viewer;
  const { body } = await world.api.as(as).get(`/services/${of.serviceId}/sources/${id}`);
  return (body as unknown as Told).missing;
}

const fresh = () => seedRepository(world.api.database, world.organization);

test('a folder is announced, its missing blobs are pushed, and the same folder is the same source', async () => {
  const [one, two] = [blobOf('one'), blobOf('two')];
  const files = [file('a', one), file('b/c\nd', two, 'executable'), file('e', one)];
  const first = await announce(files);
  expect([first.status, first.told]).toMatchObject([
    201,
    { source: { sizeBytes: 9 }, missing: [one.digest, two.digest].toSorted() },
  ]);
  const { id } = first.told.source;
  expect((await world.client().pushBlob(one)).status).toBe(201);
  expect(await missingOf(id)).toEqual([two.digest]);
  const again = await announce(files.toReversed());
  expect(again.told).toEqual({ ...first.told, missing: [two.digest] });
  await world.client().pushBlob(two);
  expect(await missingOf(id)).toEqual([]);
  const other = await announce([...files, file('f', two)]);
  expect(other.told.source.id).not.toBe(id);
  expect(other.told.missing).toEqual([]);
});

describe('blobs of others', () => {
  test('of the same project are there at once, and stay with this service', async () => {
    const there = await fresh();
    const here = await seedRepository(world.api.database, world.organization, { service: 'beside', beside: there });
    const blob = blobOf('of another service of the project');
    await world.client(there).pushBlob(blob);
    expect((await announce([file('a', blob)], here)).told.missing).toEqual([]);
    expect((await world.client(here).ask('HEAD', `blobs/${blob.digest}`)).status).toBe(200);
  });

  test('of another project, and of another organization, are missing: a digest is no right', async () => {
    const here = await fresh();
    const [blob, theirs] = [blobOf('of another project'), blobOf('of a stranger')];
    await world.client(world.other).pushBlob(blob);
    const stranged = await seedRepository(world.api.database, stranger);
    await world.client(stranged, stranger.tokens.deployer).pushBlob(theirs);
    // A size that is a lie is not told either.
    const { status, told } = await announce([file('a', { ...blob, size: 1 }), file('b', theirs)], here);
    expect([status, told.missing]).toEqual([201, [blob.digest, theirs.digest].toSorted()]);
    expect((await world.client(here).ask('HEAD', `blobs/${blob.digest}`)).status).toBe(404);
  });
});

describe('lies', () => {
  test('about a size are refused where the project knows better, and a digest must be that of what is pushed', async () => {
    const blob = blobOf('five!');
    await world.client().pushBlob(blob);
    const lie = await announce([file('src/a', { ...blob, size: 4 })]);
    expect([lie.status, lie.body.errors]).toMatchObject([
      422,
      [{ location: 'body.files[0].size', message: expect.stringContaining('"src/a" has 5 bytes by its digest') }],
    ]);
    const pushed = await world.client().pushBlob({ digest: blobOf('other').digest, bytes: Buffer.from('not other') });
    expect([pushed.status, pushed.code]).toEqual([400, 'DIGEST_INVALID']);
  });

  test.each([
    ['../a', 'the name ".."'],
    ['/etc/passwd', 'is absolute'],
    ['a//b', 'an empty name'],
    ['a\ud800', 'not valid Unicode'],
    ['a\0b', 'NUL'],
    ['x'.repeat(300), 'more than 255 bytes'],
  ])('a path like %j is refused, and named', async (path, why) => {
    const { status, body } = await announce([file('fine', blobOf('x')), file(path, blobOf('x'))]);
    expect([status, body.errors]).toMatchObject([
      422,
      [{ location: 'body.files[1].path', message: expect.stringContaining(why) }],
    ]);
  });

  test('a manifest of too many files or bytes is refused with its figures, and no row stays of it', async () => {
    const before = await counted();
    const blob = blobOf('x');
    const many = await announce(Array.from({ length: 11_001 }, (_, at) => file(`f/${at}`, blob)));
    expect([many.status, many.body.detail]).toMatchObject([422, expect.stringContaining('11,001 files, and 11,000')]);
    const large = await announce([file('large.bin', { ...blob, size: 2_000_001 })]);
    expect([large.status, large.body.detail]).toMatchObject([422, expect.stringContaining('"large.bin" is larger')]);
    const vast = await announce([file('vast.bin', { ...blob, size: 3_000_000_000 })]);
    expect(vast.body.detail).toContain('"vast.bin" with 3,000,000,000');
    expect((await announce([])).body.detail).toContain('has no file');
    expect(await counted()).toBe(before);
  });

  test('a body of 11,000 files is taken: more than other operations take', async () => {
    const long = 'd'.repeat(200);
    const files = Array.from({ length: 11_000 }, (_, at) => file(`${long}/${at}`, blobOf(`${at % 10}`)));
    expect(JSON.stringify(files).length).toBeGreaterThan(1_048_576);
    const { status, told } = await announce(files, await fresh());
    expect([status, told.missing.length]).toEqual([201, 10]);
  });

  async function counted(): Promise<number> {
    return (await world.api.rows.all('build_source', { organization_id: world.organization.organizationId })).length;
  }
});

test('a folder that does not fit into the registry is refused before anything is pushed, with figures', async () => {
  const large = ['x', 'y'].map((name) => file(name, { ...blobOf(`large ${name}`), size: 1_900_000 }));
  const { status, body } = await announce(large);
  expect([status, body.detail]).toMatchObject([
    409,
    expect.stringMatching(
      /^The folder needs 3,800,000 bytes more in the registry, and the organization has [\d,]+ of its 3,000,000/,
    ),
  ]);
  expect((await announce(large.slice(0, 1))).status).toBe(201);
});

test('a viewer announces nothing, and a token of another project and a stranger see no service', async () => {
  const { tokens, organizationId } = world.organization;
  const files = [file('a', blobOf('a'))];
  expect((await announce(files, undefined, tokens.viewer)).status).toBe(403);
  const limited = await seedToken(world.api.database, organizationId, 'deployer', [world.other.projectId]);
  expect((await announce(files, undefined, limited)).status).toBe(404);
  expect((await announce(files, undefined, stranger.tokens.admin)).status).toBe(404);
  const { told } = await announce(files);
  const url = (of: SeededRepository) => `/services/${of.serviceId}/sources/${told.source.id}`;
  expect((await world.api.as(tokens.viewer).get(url(world.repository))).status).toBe(200);
  expect((await world.api.as(tokens.viewer).get(url(world.other))).status).toBe(404);
  expect((await world.api.as(limited).get(url(world.repository))).status).toBe(404);
});
