import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import type { BlobProgress } from '../../agent/images/push/repository-client.ts';
import { digestOf, handMadeLayout } from '../../test/images/hand-made-image.ts';
import { registryWorld, tokenOf } from '../../test/registry/registry-world.ts';
import { pushLayout } from './push-layout.ts';

const world = await registryWorld();
const directory = mkdtempSync(join(tmpdir(), 'ballast-push-'));

afterAll(async () => {
  await world.close();
  rmSync(directory, { recursive: true });
});

const target = (url = world.api.url) => ({
  url,
  repository: world.repository.path,
  token: tokenOf(world.organization.tokens.deployer),
});

test('pushes a layout, tells how far each blob is, and sends nothing twice', async () => {
  const { layout, digest } = await handMadeLayout([[{ name: 'run', content: 'a program' }], randomBytes(300_000)]);
  const told: BlobProgress[] = [];
  const pushed = await pushLayout(layout, { ...target(), tag: 'v1' }, { onBlob: (one) => told.push(one) });
  expect(pushed.digest).toBe(digest);
  expect((await world.client().ask('HEAD', 'manifests/v1')).headers.get('docker-content-digest')).toBe(digest);
  expect(told.filter(({ sent, size }) => sent === size).every(({ reused }) => !reused)).toBe(true);
  expect(new Set(told.map((one) => one.digest)).size).toBe(3);
  const again: BlobProgress[] = [];
  await pushLayout(layout, target(), { onBlob: (one) => again.push(one) });
  expect(again.map(({ reused }) => reused)).toEqual([true, true, true]);
  rmSync(layout, { recursive: true });
});

test('a layout with several images is pushed as the list that it is', async () => {
  const one = await handMadeLayout([[{ name: 'run', content: 'for processes' }]]);
  const other = await handMadeLayout([[{ name: 'run', content: 'for containers' }]]);
  for (const name of readdirSync(join(other.layout, 'blobs/sha256'))) {
    writeFileSync(join(one.layout, 'blobs/sha256', name), readFileSync(join(other.layout, 'blobs/sha256', name)));
  }
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const sizeOf = (digest: string) => readFileSync(join(one.layout, 'blobs', digest.replace(':', '/'))).length;
  const manifests = [one.digest, other.digest].map((digest) => ({ mediaType, digest, size: sizeOf(digest) }));
  const index = JSON.stringify({ schemaVersion: 2, manifests });
  writeFileSync(join(one.layout, 'index.json'), index);
  const { digest } = await pushLayout(one.layout, { ...target(), tag: 'list' });
  expect(digest).toBe(`sha256:${createHash('sha256').update(index).digest('hex')}`);
  expect((await world.client().ask('GET', 'manifests/list')).bytes.toString()).toBe(index);
  for (const { layout } of [one, other]) rmSync(layout, { recursive: true });
});

test('of a list of which Docker saved only the image for its own platform, that one is pushed', async () => {
  const { layout, digest } = await handMadeLayout([[{ name: 'run', content: 'for this platform' }]]);
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  const size = readFileSync(join(layout, 'blobs', digest.replace(':', '/'))).length;
  const there = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size };
  const list = JSON.stringify({ schemaVersion: 2, manifests: [{ ...there, digest: digestOf(randomBytes(9)) }, there] });
  const saved = { mediaType, digest: digestOf(Buffer.from(list)), size: list.length };
  writeFileSync(join(layout, 'blobs', saved.digest.replace(':', '/')), list);
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [saved] }));
  const pushed = await pushLayout(layout, target());
  const got = JSON.parse((await world.client().ask('GET', `manifests/${pushed.digest}`)).bytes.toString());
  expect(got).toEqual({ schemaVersion: 2, manifests: [there] });
  rmSync(layout, { recursive: true });
});

test('an archive of a layout, and one as Docker wrote them before, are pushed like a layout', async () => {
  const { layout, digest } = await handMadeLayout([[{ name: 'run', content: 'in an archive' }]], {
    compression: 'tar',
  });
  const archive = join(directory, 'layout.tar');
  execFileSync('tar', ['-cf', archive, '-C', layout, '.']);
  expect((await pushLayout(archive, target())).digest).toBe(digest);
  const manifest = JSON.parse(readFileSync(join(layout, 'blobs', digest.replace(':', '/')), 'utf8'));
  const saved = join(directory, 'saved');
  const [config, layer] = [manifest.config.digest.slice(7), manifest.layers[0].digest.slice(7)];
  mkdirSync(join(saved, layer), { recursive: true });
  writeFileSync(join(saved, `${config}.json`), readFileSync(join(layout, 'blobs/sha256', config)));
  writeFileSync(join(saved, layer, 'layer.tar'), readFileSync(join(layout, 'blobs/sha256', layer)));
  writeFileSync(
    join(saved, 'manifest.json'),
    JSON.stringify([{ Config: `${config}.json`, Layers: [`${layer}/layer.tar`] }]),
  );
  execFileSync('tar', ['-czf', join(directory, 'saved.tar.gz'), '-C', saved, '.']);
  const pushed = await pushLayout(join(directory, 'saved.tar.gz'), { ...target(), tag: 'saved' });
  const got = JSON.parse((await world.client().ask('GET', `manifests/${pushed.digest}`)).bytes.toString());
  expect([got.config.digest, got.layers[0].digest]).toEqual([manifest.config.digest, manifest.layers[0].digest]);
  rmSync(layout, { recursive: true });
});

test.each([
  ['has ended', false],
  ['is still being ended when it is asked for', true],
])(
  'the answer to the end of an upload is lost: the blob is there and not sent again, if the upload %s',
  async (_, asked) => {
    const { layout, digest } = await handMadeLayout([randomBytes(100_000)], { compression: 'tar' });
    const begun: string[] = [];
    let lost = 0;
    const front = createServer(async (request, response) => {
      const { method = '', url = '' } = request;
      if (method === 'POST') begun.push(url);
      if (asked && lost > 0 && method === 'GET' && url.includes('/uploads/')) {
        response.writeHead(204, { range: `0-${ends.get(url)}` }).end();
        return;
      }
      const body = await buffer(request);
      const headers = { authorization: String(request.headers.authorization), ...kept(request.headers) };
      const answer = await fetch(new URL(url, world.api.url), {
        method,
        headers,
        ...(body.length > 0 ? { body } : {}),
      });
      if (method === 'PATCH') ends.set(url, Number(request.headers['content-length']) - 1);
      const text = Buffer.from(await answer.arrayBuffer());
      if (method === 'PUT' && url.includes('digest=') && lost === 0) {
        lost += 1;
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
    });
    const ends = new Map<string, number>();
    await new Promise<void>((listening) => front.listen(0, '127.0.0.1', listening));
    try {
      const { port } = front.address() as AddressInfo;
      const pushed = await pushLayout(layout, target(`http://127.0.0.1:${port}`));
      expect([pushed.digest, lost]).toEqual([digest, 1]);
      // One for the layer, one for its configuration.
      expect(begun).toHaveLength(2);
    } finally {
      front.close();
      front.closeAllConnections();
      rmSync(layout, { recursive: true });
    }
  },
);

/** The headers that a front hands on besides. */
function kept(given: IncomingHttpHeaders): Record<string, string> {
  const names = ['content-type', 'content-range'] as const;
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, String(given[name])]])));
}

test.each([
  ['is not there', () => join(directory, 'nothing'), /is not there/],
  ['is no image', () => directory, /index\.json is not there/],
])('what %s is refused in a sentence', async (_, source, message) => {
  await expect(pushLayout(source(), target())).rejects.toThrow(message);
});

test('a refusal of the registry is told as it is', async () => {
  const { layout } = await handMadeLayout([[{ name: 'run', content: 'refused' }]]);
  const viewer = { ...target(), token: tokenOf(world.organization.tokens.viewer) };
  await expect(pushLayout(layout, viewer)).rejects.toThrow(/needs the role deployer/);
  await expect(pushLayout(layout, { ...target(), repository: 'no/such/thing' })).rejects.toThrow(/does not exist/);
  rmSync(layout, { recursive: true });
});
