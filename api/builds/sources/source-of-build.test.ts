import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { v7 as uuid } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import type { SourceFile } from '../../../domain/builds/manifest.ts';
import { type Blob, blobOf } from '../../../test/registry/registry-client.ts';
import { registryWorld } from '../../../test/registry/registry-world.ts';
import { seedAgent, seedBuild } from '../../../test/registry/seed-build.ts';
import { type SeededRepository, seedRepository } from '../../../test/registry/seed-repository.ts';
import { sourceArchive } from '../sources.ts';

let agent: { clusterId: string; secret: string };

const world = await registryWorld();
agent = await seedAgent(world.api, world.organization);

afterAll(() => world.close());

type Kind = SourceFile['kind'];
const file = (path: string, { digest, size }: Blob, kind: Kind = 'file'): SourceFile => ({ path, kind, size, digest });

/** A service with a source that was uploaded, but for the blobs that are left out. */
async function uploaded(files: [path: string, content: string | Buffer, kind?: Kind][], without: string[] = []) {
  const repository = await seedRepository(world.api.database, world.organization);
  const blobs = files.map(([path, content, kind]) => ({ path, kind, blob: blobOf(content) }));
  const id = await announce(
    repository,
    blobs.map(({ path, blob, kind }) => file(path, blob, kind)),
  );
  for (const { path, blob } of blobs) if (!without.includes(path)) await world.client(repository).pushBlob(blob);
  return { repository, sourceId: id };
}

async function announce({ serviceId }: SeededRepository, files: SourceFile[]): Promise<string> {
  const as = world.organization.tokens.deployer;
  const { body } = await as.post(`/services/${serviceId}/sources`, { files });
  return (body.source as { id: string }).id;
}

async function ask(buildId: string, secret = agent.secret): Promise<Response> {
  return await fetch(`${world.api.url}/agent/v1/builds/${buildId}/source`, {
    headers: { authorization: `Bearer ${secret}` },
  });
}

async function entriesOf(archive: Buffer) {
  const reader = extract();
  Readable.from([archive]).pipe(reader as unknown as NodeJS.WritableStream);
  const entries = [];
  for await (const entry of reader) {
    const { name, type, mode, uid, gid, mtime, linkname } = entry.header;
    const content = (await buffer(entry as unknown as Readable)).toString('latin1');
    entries.push({ name, type, mode, uid, gid, mtime: mtime?.getTime(), linkname, content });
  }
  return entries;
}

test('the agent of the cluster gets a tar of the files, in their order, and the same one each time', async () => {
  const large = randomBytes(700_000);
  const long = `${'d'.repeat(120)}/${'é'.repeat(127)}/f`;
  const { repository, sourceId } = await uploaded([
    ['z/run', '#!/bin/sh', 'executable'],
    ['a\nb', 'one'],
    [long, large],
    ['empty', ''],
    ['z/l', '../a\nb', 'link'],
  ]);
  const buildId = await seedBuild(world.api.database, repository, { clusterId: agent.clusterId, sourceId });
  const answer = await ask(buildId);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-tar']);
  const archive = Buffer.from(await answer.arrayBuffer());
  const common = { type: 'file', mode: 0o644, uid: 0, gid: 0, mtime: 0, linkname: null };
  expect(await entriesOf(archive)).toEqual([
    { ...common, name: 'z/run', mode: 0o755, content: '#!/bin/sh' },
    { ...common, name: 'a\nb', content: 'one' },
    { ...common, name: long, content: large.toString('latin1') },
    { ...common, name: 'empty', content: '' },
    { ...common, name: 'z/l', type: 'symlink', mode: 0o777, linkname: '../a\nb', content: '' },
  ]);
  expect(Buffer.from(await (await ask(buildId)).arrayBuffer()).equals(archive)).toBe(true);
});

describe('to all others it is not there', () => {
  test('another cluster, a build that does not run, one without a folder, and no build', async () => {
    const { repository, sourceId } = await uploaded([['a', 'a']]);
    const { clusterId } = agent;
    const { database } = world.api;
    const other = await seedAgent(world.api, world.organization);
    const running = await seedBuild(database, repository, { clusterId, sourceId });
    expect((await ask(running)).status).toBe(200);
    expect((await ask(running, other.secret)).status).toBe(404);
    for (const state of ['queued', 'succeeded', 'failed', 'cancelled'] as const) {
      const id = await seedBuild(database, repository, { clusterId, sourceId, state });
      expect([state, (await ask(id)).status]).toEqual([state, 404]);
    }
    expect((await ask(await seedBuild(database, repository, { clusterId }))).status).toBe(404);
    for (const id of [uuid(), 'x', '%00']) expect((await ask(id)).status).toBe(404);
    expect((await ask(running, 'a'.repeat(43))).status).toBe(403);
    const revoked = await world.api.as(world.organization.tokens.admin).delete(`/clusters/${clusterId}/agent`);
    expect(revoked.status).toBeLessThan(300);
    expect((await ask(running)).status).toBe(403);
    agent = await seedAgent(world.api, world.organization);
  });
});

describe('what cannot be built is told by its path', () => {
  const refused = async (repository: SeededRepository, sourceId: string) => {
    const answer = await ask(await seedBuild(world.api.database, repository, { clusterId: agent.clusterId, sourceId }));
    return [answer.status, ((await answer.json()) as { detail: string }).detail];
  };

  test('a blob that was never pushed', async () => {
    const { repository, sourceId } = await uploaded(
      [
        ['a', 'there'],
        ['src/b', 'not there'],
      ],
      ['src/b'],
    );
    expect(await refused(repository, sourceId)).toEqual([
      409,
      expect.stringMatching(/^"src\/b" is not in the registry/),
    ]);
  });

  test('a blob that was deleted since', async () => {
    const { repository, sourceId } = await uploaded([['a', 'deleted']]);
    expect((await world.client(repository).ask('DELETE', `blobs/${blobOf('deleted').digest}`)).status).toBe(202);
    expect(await refused(repository, sourceId)).toEqual([409, expect.stringMatching(/^"a" is not in the registry/)]);
  });

  test('a blob of another size than was announced', async () => {
    const repository = await seedRepository(world.api.database, world.organization);
    const blob = blobOf('longer than they say');
    const sourceId = await announce(repository, [file('a', { ...blob, size: 3 })]);
    await world.client(repository).pushBlob(blob);
    expect(await refused(repository, sourceId)).toEqual([
      409,
      '"a" has 20 bytes, and 3 were announced. Upload the folder again, then retry the build.',
    ]);
  });

  test.each([
    ['../../etc', 'out of the folder'],
    ['/etc/passwd', 'out of the folder'],
    ['b/../..', 'behind a name'],
    [Buffer.from([0xff, 0xfe]), 'no UTF-8'],
  ])('a link to %s', async (target, why) => {
    const { repository, sourceId } = await uploaded([['d/l', target, 'link']]);
    expect(await refused(repository, sourceId)).toEqual([409, expect.stringMatching(new RegExp(`^"d/l" .*${why}`))]);
  });
});

test('a reader that stops reading holds the blobs back, and one that leaves ends them', async () => {
  const piece = Buffer.alloc(65_536);
  const blobs: Readable[] = [];
  let given = 0;
  const readBlob = async () => {
    const blob = Readable.from(
      (function* () {
        for (let left = 1_000; left > 0; left -= 1) {
          given += piece.length;
          yield piece;
        }
      })(),
      { objectMode: false },
    );
    blobs.push(blob);
    return blob;
  };
  const big = { kind: 'file' as const, size: 1_000 * piece.length, digest: 'x' };
  const archive = sourceArchive({ readBlob }, [
    { ...big, path: 'a' },
    { ...big, path: 'b' },
  ]);
  const reading = archive[Symbol.asyncIterator]();
  for (let pieces = 0; pieces < 10; pieces += 1) await reading.next();
  for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
  expect(given).toBeLessThan(40 * piece.length);
  const [first] = blobs;
  const closed = new Promise((resolve) => first?.once('close', resolve));
  archive.destroy();
  await closed;
  expect(blobs).toHaveLength(1);
});

test('a file that is not where its row says breaks the connection: no tar that looks whole', async () => {
  const blob = blobOf(randomBytes(300_000));
  const repository = await seedRepository(world.api.database, world.organization);
  const sourceId = await announce(repository, [file('a', blob)]);
  await world.client(repository).pushBlob(blob);
  const buildId = await seedBuild(world.api.database, repository, { clusterId: agent.clusterId, sourceId });
  const digits = blob.digest.slice(7);
  await rm(join(world.api.registryDirectory, 'blobs/sha256', digits.slice(0, 2), digits));
  await expect(ask(buildId).then((answer) => answer.arrayBuffer())).rejects.toThrow();
  expect(
    await world.api.rows.all('registry_link', { digest: blob.digest, organization_id: repository.organizationId }),
  ).toHaveLength(1);
});
