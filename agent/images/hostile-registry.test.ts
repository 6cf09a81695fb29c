import { existsSync, readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digestOf } from '../../test/images/hand-made-image.ts';
import { blobOf } from '../../test/images/registry.ts';
import { RegistryBench } from '../../test/images/registry-bench.ts';
import type { ImageStore } from './image-store.ts';

let store: ImageStore;
const never = new AbortController().signal;

const bench = await RegistryBench.begun();
const { image, layer } = bench;
afterAll(() => bench.close());
beforeEach(() => {
  store = bench.open();
});
afterEach(() => bench.clear());

describe('a hostile registry', () => {
  type Own = (request: IncomingMessage, response: ServerResponse) => boolean;
  const endless = (response: ServerResponse) => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    if (!response.destroyed) response.once('drain', () => endless(response));
  };
  const layers =
    (answer: (response: ServerResponse) => void): Own =>
    (request, response) => {
      if (bench.isLayer(request)) answer(response);
      return bench.isLayer(request);
    };
  const redirected = (location: string) => layers((response) => void response.writeHead(307, { location }).end());
  const manifests =
    (answer: (response: ServerResponse) => void): Own =>
    (request, response) => {
      const isManifest = request.url?.includes('/manifests/') === true;
      if (isManifest) answer(response);
      return isManifest;
    };
  const changed = (change: (manifest: ReturnType<typeof JSON.parse>) => void) =>
    manifests((response) => {
      const read = JSON.parse(blobOf(image.layout, image.digest).toString());
      change(read);
      response.end(JSON.stringify(read));
    });
  test.each<[string, RegExp, Own]>([
    [
      'serves another content than the digest says',
      /other content for sha256/,
      layers((response) => void response.end(Buffer.alloc(layer.length))),
    ],
    ['sends a layer that never ends', /sends more for/, layers((response) => endless(response.writeHead(200)))],
    ['sends a description that never ends', /too much/, manifests((response) => endless(response.writeHead(200)))],
    ['names a layer of 10 GB', /are not taken/, changed((read) => (read.layers[0].size = 10_000_000_000))],
    ['names a negative size', /is invalid: layers.0.size/, changed((read) => (read.layers[0].size = -1))],
    ['names a digest that is a path', /is invalid: config.digest/, changed((read) => (read.config.digest = '../../x'))],
    ['says that an image is a list, too', /at once/, changed((read) => (read.manifests = []))],
    ['leads to the metadata of a cloud', /no registry has/, redirected('http://169.254.169.254/latest/meta-data/')],
    [
      'leads to the metadata of a cloud in another notation',
      /no registry has/,
      redirected('https://[::ffff:a9fe:a9fe]/'),
    ],
    ['leads to a file', /only https/, redirected('file:///etc/passwd')],
    ['leads in a circle', /without end/, (request, response) => redirected(request.url ?? '')(request, response)],
    [
      'asks to sign in at the metadata of a cloud',
      /no registry has/,
      (_request, response) => {
        response.writeHead(401, { 'www-authenticate': 'Bearer realm="http://169.254.169.254/"' }).end();
        return true;
      },
    ],
  ])('that %s is refused, and nothing stays', async (_name, sentence, own) => {
    const server = await bench.answering(own);
    expect(await bench.refusal(store.ready({ repository: `${server.host}/app`, tag: 'v1' }, never))).toMatch(sentence);
    expect(readdirSync(join(bench.home, 'records'))).toEqual([]);
    expect(existsSync(join(bench.home, 'blobs', digestOf(layer).slice(7)))).toBe(false);
  });
});

test.each([
  ['169.254.169.254/app', /no registry has/],
  ['../etc/passwd', /is not a repository/],
  ['Registry.example.com/../app', /is not a repository/],
  ['registry.example.com/app@sha256', /is not a repository/],
  ['user:password@registry.example.com/app', /is not a repository/],
])('%s is refused before anybody is asked', async (repository, sentence) => {
  expect(await bench.refusal(store.ready({ repository, tag: 'v1' }, never))).toMatch(sentence);
});
