import { afterAll, describe, expect, test } from 'vitest';
import { blobOf, digestOf, types } from '../../test/registry/registry-client.ts';
import { registryWorld } from '../../test/registry/registry-world.ts';

const world = await registryWorld();
const client = world.client();

afterAll(() => world.close());

describe('tags', () => {
  test('of an empty repository are none', async () => {
    const { status, bytes } = await world.client(world.other).ask('GET', 'tags/list');
    expect(status).toBe(200);
    expect(JSON.parse(bytes.toString())).toEqual({ name: world.other.path, tags: [] });
  });

  test('come in order, in pages that lead to the next one', async () => {
    const { manifest } = await client.pushImage('tagged', 'b');
    for (const tag of ['a', 'Z', 'c-1', 'c.1', '_d']) await client.pushManifest(manifest, tag);
    const ordered = ['Z', '_d', 'a', 'b', 'c-1', 'c.1'];
    const list = async (query: string) => {
      const { bytes, headers } = await client.ask('GET', `tags/list${query}`);
      const { tags }: { tags: string[] } = JSON.parse(bytes.toString());
      return { tags, next: /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] };
    };
    expect(await list('')).toEqual({ tags: ordered, next: undefined });
    expect((await list('?n=0')).tags).toEqual([]);
    expect((await list('?last=a')).tags).toEqual(['b', 'c-1', 'c.1']);
    const first = await list('?n=4');
    expect(first.tags).toEqual(ordered.slice(0, 4));
    const { bytes, headers } = await client.ask('GET', first.next ?? '');
    expect(JSON.parse(bytes.toString()).tags).toEqual(ordered.slice(4));
    expect(headers.get('link')).toBeNull();
    expect((await client.ask('GET', 'tags/list?n=many')).status).toBe(400);
    expect((await client.ask('GET', 'tags/list?n=1&n=2')).status).toBe(400);
  });
});

describe('referrers', () => {
  async function refer(subject: string, artifactType: string, note: string): Promise<string> {
    const empty = blobOf('{}');
    await client.pushBlob(empty);
    const pushed = await client.pushManifest({
      schemaVersion: 2,
      mediaType: types.manifest,
      artifactType,
      config: { mediaType: 'application/vnd.oci.empty.v1+json', digest: empty.digest, size: 2 },
      layers: [],
      subject: { mediaType: types.manifest, digest: subject, size: 1 },
      annotations: { note },
    });
    expect([pushed.status, pushed.headers.get('oci-subject')]).toEqual([201, subject]);
    return pushed.digest;
  }
  const listed = async (path: string) => {
    const { status, bytes, headers } = await client.ask('GET', path);
    expect([status, headers.get('content-type')]).toEqual([200, types.index]);
    const { manifests }: { manifests: { digest: string; artifactType: string; annotations: object }[] } = JSON.parse(
      bytes.toString(),
    );
    return { manifests, headers };
  };

  test('of what nobody says anything about are an empty index', async () => {
    expect((await listed(`referrers/${digestOf(Buffer.from('nobody'))}`)).manifests).toEqual([]);
    expect((await client.ask('GET', 'referrers/latest')).code).toBe('DIGEST_INVALID');
  });

  test('are listed with their type and annotations, of a subject that is there and of one that is not', async () => {
    for (const subject of [(await client.pushImage('a subject')).digest, digestOf(Buffer.from('not there'))]) {
      const signature = await refer(subject, 'application/vnd.signature', 'signed');
      const bill = await refer(subject, 'application/vnd.bill', 'what is in it');
      const { manifests } = await listed(`referrers/${subject}`);
      expect(manifests.map(({ digest }) => digest).toSorted()).toEqual([signature, bill].toSorted());
      const filtered = await listed(`referrers/${subject}?artifactType=application/vnd.bill`);
      expect(filtered.headers.get('oci-filters-applied')).toBe('artifactType');
      expect(filtered.manifests).toMatchObject([
        {
          digest: bill,
          artifactType: 'application/vnd.bill',
          mediaType: types.manifest,
          annotations: { note: 'what is in it' },
        },
      ]);
      await client.ask('DELETE', `manifests/${bill}`);
      expect((await listed(`referrers/${subject}`)).manifests).toHaveLength(1);
    }
  });

  test('have the type of their configuration if they name none, and come in pages', async () => {
    const { digest: subject, config } = await client.pushImage('much is said about');
    for (let number = 0; number < 60; number += 1) {
      await client.pushManifest({
        schemaVersion: 2,
        config: { mediaType: types.config, digest: config.digest, size: config.size },
        layers: [],
        subject: { mediaType: types.manifest, digest: subject, size: 1 },
        annotations: { number: String(number) },
      });
    }
    const first = await listed(`referrers/${subject}`);
    expect(first.manifests.every(({ artifactType }) => artifactType === types.config)).toBe(true);
    const next = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await listed(next);
    expect(new Set([...first.manifests, ...second.manifests].map(({ digest }) => digest)).size).toBe(60);
  });
});
