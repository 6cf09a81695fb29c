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
  const endless = (response: ServerResponse, size?: number) => {
    response.writeHead(200, size === undefined ? {} : { 'content-length': size });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
    return true;
  };
  const redirect = (response: ServerResponse, location: string) => {
    response.writeHead(307, { location }).end();
    return true;
  };
  const manifest = (response: ServerResponse, change: (manifest: ReturnType<typeof JSON.parse>) => void) => {
    const read = JSON.parse(blobOf(image.layout, image.digest).toString());
    change(read);
    response.end(JSON.stringify(read));
    return true;
  };
  const isManifest = (request: IncomingMessage) => request.url?.includes('/manifests/') === true;
  type Own = (request: IncomingMessage, response: ServerResponse) => boolean;
  test.each<[string, RegExp, Own]>([
    [
      'serves another content than the digest says',
      /other content for sha256/,
      (request, response) => bench.isLayer(request) && response.end(Buffer.alloc(layer.length)) !== undefined,
    ],
    [
      'sends a layer that never ends',
      /sends more for/,
      (request, response) => bench.isLayer(request) && endless(response),
    ],
    [
      'sends a description that never ends',
      /too much/,
      (request, response) => isManifest(request) && endless(response),
    ],
    [
      'names a layer of 10 GB',
      /are not taken/,
      (request, response) =>
        isManifest(request) && manifest(response, (read) => (read.layers[0].size = 10_000_000_000)),
    ],
    [
      'names a negative size',
      /is invalid: layers.0.size/,
      (request, response) => isManifest(request) && manifest(response, (read) => (read.layers[0].size = -1)),
    ],
    [
      'names a digest that is a path',
      /is invalid: config.digest/,
      (request, response) => isManifest(request) && manifest(response, (read) => (read.config.digest = '../../x')),
    ],
    [
      'says that an image is a list, too',
      /at once/,
      (request, response) => isManifest(request) && manifest(response, (read) => (read.manifests = [])),
    ],
    [
      'leads to the metadata of a cloud',
      /no registry has/,
      (request, response) => bench.isLayer(request) && redirect(response, 'http://169.254.169.254/latest/meta-data/'),
    ],
    [
      'leads to the metadata of a cloud in another notation',
      /no registry has/,
      (request, response) => bench.isLayer(request) && redirect(response, 'https://[::ffff:a9fe:a9fe]/'),
    ],
    [
      'leads to a file',
      /only https/,
      (request, response) => bench.isLayer(request) && redirect(response, 'file:///etc/passwd'),
    ],
    [
      'leads in a circle',
      /without end/,
      (request, response) => bench.isLayer(request) && redirect(response, request.url ?? ''),
    ],
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
