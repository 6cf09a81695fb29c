import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mostPackBytes, packLine } from '../../domain/builds/manifest.ts';
import { until } from '../ground/until.ts';
import { type Credential, seedToken } from '../installation/running-api.ts';
import { type Blob, blobOf, RegistryClient } from './registry-client.ts';
import { type RegistryWorld, registryWorld, tokenOf } from './registry-world.ts';
import { seedAgent, seedBuild } from './seed-build.ts';
import { type SeededRepository, seedRepository } from './seed-repository.ts';
import type { Storage } from './storages.ts';

const packOf = (...blobs: readonly Blob[]) =>
  Buffer.concat(blobs.flatMap(({ digest, size, bytes }) => [Buffer.from(packLine(digest, size)), bytes]));
const some = (count: number, size = 20) => Array.from({ length: count }, () => blobOf(randomBytes(size)));

/** How packs of sources are taken, on a storage. */
export function packRules(storage: Storage): void {
  let world: RegistryWorld;

  beforeAll(async () => {
    world = await registryWorld({ REGISTRY_BYTES_PER_ORGANIZATION: '20000000' }, storage);
  });

  afterAll(() => world.close());

  const sourceOf = async (blobs: readonly Blob[], of: SeededRepository = world.repository) => {
    const files = blobs.map(({ digest, size }, at) => ({ path: `f${at}`, kind: 'file', size, digest }));
    const url = `/api/v1/services/${of.serviceId}/sources`;
    const { status, body } = await world.api.call('POST', url, {
      as: world.organization.tokens.deployer,
      body: { files },
    });
    expect(status).toBe(201);
    return (body as unknown as { source: { id: string } }).source.id;
  };
  const missingOf = async (id: string, of: SeededRepository = world.repository) => {
    const as = world.organization.tokens.viewer;
    const { body } = await world.api.as(as).get(`/services/${of.serviceId}/sources/${id}`);
    return (body as unknown as { missing: string[] }).missing;
  };
  const send = async (source: string, body: Buffer, as?: Credential, of?: SeededRepository) => {
    const answer = await world.client(of, as).ask('POST', `_ballast/packs/${source}`, { body });
    return { ...answer, told: JSON.parse(answer.bytes.toString()) };
  };

  test('is kept as blobs, each of which can be read, and the same again changes nothing', async () => {
    const blobs = [...some(600), blobOf(''), ...some(3, 400_000)];
    const source = await sourceOf(blobs);
    expect((await send(source, Buffer.alloc(0))).told).toEqual({ stored: 0, known: 0 });
    const first = await send(source, packOf(...blobs.slice(0, 10)));
    expect([first.status, first.told]).toEqual([200, { stored: 10, known: 0 }]);
    expect((await send(source, packOf(...blobs))).told).toEqual({ stored: 594, known: 10 });
    expect((await send(source, packOf(...blobs))).told).toEqual({ stored: 0, known: 604 });
    expect(await missingOf(source)).toEqual([]);
    for (const blob of [blobs[0], blobs[300], blobs.at(-4), blobs.at(-1)]) {
      const read = await world.client().ask('GET', `blobs/${blob?.digest}`);
      expect([read.status, read.bytes.equals(blob?.bytes ?? Buffer.alloc(1))]).toEqual([200, true]);
    }
    expect(await world.store.oldDrafts()).toEqual([]);
  });

  test('that breaks off leaves what came before it, and the rest can follow', async () => {
    const blobs = some(300);
    const source = await sourceOf(blobs);
    const whole = packOf(...blobs);
    const url = new URL(`${world.api.url}/v2/${world.repository.path}/_ballast/packs/${source}`);
    const headers = { ...world.client().headers(), 'content-length': String(whole.length) };
    const sent = request(url, { method: 'POST', headers });
    sent.on('error', () => undefined);
    sent.write(whole.subarray(0, whole.length - 100));
    await until('all but the last batch are kept', async (see) => see((await missingOf(source)).length) === 44);
    sent.destroy();
    expect((await send(source, packOf(...blobs.slice(200)))).told).toEqual({ stored: 44, known: 56 });
  });

  test('of which one blob is wrong keeps nothing of its batch, and says which', async () => {
    const [good, other] = some(2);
    if (good === undefined || other === undefined) throw new Error('There are two.');
    const source = await sourceOf([good, other]);
    const lie = { ...other, bytes: randomBytes(20) };
    const wrong = await send(source, packOf(good, lie));
    expect([wrong.status, wrong.code]).toEqual([400, 'DIGEST_INVALID']);
    expect(wrong.told.errors[0].message).toContain(other.digest);
    const stray = blobOf(randomBytes(20));
    const strange = await send(source, packOf(good, stray));
    expect([strange.status, strange.code]).toEqual([400, 'MANIFEST_BLOB_UNKNOWN']);
    expect(await missingOf(source)).toEqual([good.digest, other.digest].toSorted());
    expect((await world.client().ask('GET', `blobs/${stray.digest}`)).status).toBe(404);
  });

  test.each([
    ['no line', () => randomBytes(500).fill(0x61)],
    ['a line that ends too late', () => Buffer.from(`sha256:${'a'.repeat(70)} 1\na`)],
    ['another algorithm', () => Buffer.from(`sha512:${'a'.repeat(64)} 1\na`)],
    ['a negative size', () => Buffer.from(`sha256:${'a'.repeat(64)} -1\na`)],
    ['a size of more than a blob may have here', () => Buffer.from(`sha256:${'a'.repeat(64)} 1048577\na`)],
    ['an end in the middle of a line', () => Buffer.from('sha256:aaaa')],
    ['an end in the middle of a blob', () => packOf(...some(1)).subarray(0, -1)],
  ])('with %s is refused', async (_, body) => {
    const source = await sourceOf(some(1));
    const { status, code } = await send(source, body());
    expect([status, code]).toEqual([400, 'BLOB_UPLOAD_INVALID']);
  });

  test('that is too large is refused before its body is read, or where it exceeds the limit', async () => {
    const blobs = some(30, 300_000);
    const source = await sourceOf(blobs);
    const url = new URL(`${world.api.url}/v2/${world.repository.path}/_ballast/packs/${source}`);
    const ask = async (headers: Record<string, string>, body: Buffer) =>
      await new Promise<number>((resolve, reject) => {
        const sent = request(url, { method: 'POST', headers: { ...world.client().headers(), ...headers } });
        sent.on('response', (answer) => {
          resolve(answer.statusCode ?? 0);
          sent.destroy();
        });
        sent.on('error', reject);
        sent.write(body);
      });
    expect(await ask({ 'content-length': String(mostPackBytes + 1) }, Buffer.from('s'))).toBe(413);
    expect(await ask({ 'transfer-encoding': 'chunked' }, packOf(...blobs))).toBe(413);
  });

  test('for which there is no room is refused, and stays missing', async () => {
    const stranger = await world.api.organization();
    const of = await seedRepository(world.api.database, stranger);
    const client = new RegistryClient(world.api.url, of.path, tokenOf(stranger.tokens.deployer));
    const announce = async (blobs: readonly Blob[]) => {
      const files = blobs.map(({ digest, size }, at) => ({ path: `f${at}`, kind: 'file', size, digest }));
      const url = `/api/v1/services/${of.serviceId}/sources`;
      const { body } = await world.api.call('POST', url, { as: stranger.tokens.deployer, body: { files } });
      return (body as unknown as { source: { id: string } }).source.id;
    };
    // Each fits by itself when it is announced, and all of them together do not.
    const parts = Array.from({ length: 3 }, () => some(8, 900_000));
    const sources = await Promise.all(parts.map(announce));
    const statuses: number[] = [];
    for (const [at, source] of sources.entries()) {
      const { status } = await client.ask('POST', `_ballast/packs/${source}`, { body: packOf(...(parts[at] ?? [])) });
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 403]);
  });

  test('is for deployers who see the service and its source, and for nobody else', async () => {
    const [blob] = some(1);
    if (blob === undefined) throw new Error('There is one.');
    const source = await sourceOf([blob]);
    const { tokens, organizationId } = world.organization;
    const stranger = await world.api.organization();
    const elsewhere = await seedToken(world.api.database, organizationId, 'deployer', [world.other.projectId]);
    const body = packOf(blob);
    const asked: [string, number, string | undefined][] = [];
    const note = async (who: string, answer: Promise<{ status: number; code: string | undefined }>) => {
      const { status, code } = await answer;
      asked.push([who, status, code]);
    };
    await note('viewer', send(source, body, tokens.viewer));
    await note('stranger', send(source, body, stranger.tokens.deployer));
    await note('other project', send(source, body, elsewhere));
    await note('other service', send(source, body, undefined, world.other));
    await note('no such source', send(uuid(), body));
    await note('no id', send('x', body));
    const path = `_ballast/packs/${source}`;
    await note(
      'nobody',
      new RegistryClient(world.api.url, world.repository.path, undefined).ask('POST', path, { body }),
    );
    const { clusterId, secret } = await seedAgent(world.api, world.organization);
    const agent = new RegistryClient(world.api.url, world.repository.path, secret);
    await note('agent', agent.ask('POST', path, { body }));
    expect(asked).toEqual([
      ['viewer', 403, 'DENIED'],
      ['stranger', 404, 'NAME_UNKNOWN'],
      ['other project', 404, 'NAME_UNKNOWN'],
      ['other service', 404, 'MANIFEST_UNKNOWN'],
      ['no such source', 404, 'MANIFEST_UNKNOWN'],
      ['no id', 404, 'MANIFEST_UNKNOWN'],
      ['nobody', 401, 'UNAUTHORIZED'],
      ['agent', 404, 'NAME_UNKNOWN'],
    ]);
    expect(await missingOf(source)).toEqual([blob.digest]);
    await seedBuild(world.api.database, world.repository, { clusterId, sourceId: source });
    expect((await agent.ask('POST', path, { body })).status).toBe(403);
  });
}
