import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../test/ground/until.ts';
import { digestOf, handMadeLayout } from '../../test/images/hand-made-image.ts';
import { blobOf, push, registryIsThere, startAnswering, startRegistry } from '../../test/images/registry.ts';
import { Refusal } from '../program/refusal.ts';
import { ImageStore } from './image-store.ts';
import { repositoryOf } from './repository.ts';

let home: string;
let store: ImageStore;
let image: { layout: string; digest: string };
let layer: Buffer;
const stops: (() => Promise<void>)[] = [];
const never = new AbortController().signal;

beforeAll(async () => {
  // Random, so that it stays large when it is compressed.
  const content = Array.from({ length: 30_000 }, (_, at) => digestOf(Buffer.from(String(at)))).join();
  image = await handMadeLayout([[{ name: 'run', content }], [{ name: 'second', content: 'small' }]]);
  layer = blobOf(image.layout, JSON.parse(blobOf(image.layout, image.digest).toString()).layers[0].digest);
});
afterAll(() => rmSync(image.layout, { recursive: true }));
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ballast-images-'));
  store = newStore();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  rmSync(home, { recursive: true });
});

const newStore = () => new ImageStore(home, { limitBytes: 1e9, maxImageBytes: 5_000_000 });
const drafts = () => readdirSync(join(home, 'drafts'));

/** A registry that has the image in every repository, but for what the test answers itself. */
async function answering(own: (request: IncomingMessage, response: ServerResponse) => boolean = () => false) {
  const server = await startAnswering((request, response) => {
    if (own(request, response)) return;
    const reference = /\/(?:blobs|manifests)\/(.+)$/.exec(request.url ?? '')?.[1] ?? '';
    const digest = reference === 'v1' ? image.digest : reference;
    if (!existsSync(join(image.layout, 'blobs', digest.replace(':', '/')))) return void response.writeHead(404).end();
    const begins = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const bytes = blobOf(image.layout, digest);
    if (begins > 0) response.writeHead(206, { 'content-range': `bytes ${begins}-${bytes.length - 1}/${bytes.length}` });
    response.end(bytes.subarray(begins));
  });
  stops.push(server.stop);
  return server;
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  expect(drafts()).toEqual([]);
  return String(error);
}

const isLayer = (request: IncomingMessage) => request.url?.endsWith(digestOf(layer)) === true;

if (!registryIsThere) console.warn('NOT RUN: registry: install docker-registry');

describe.skipIf(!registryIsThere)('a real registry', () => {
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  beforeAll(async () => {
    registry = await startRegistry();
    await push(registry.url, image.layout, image.digest, 'team/app', 'v1');
  });
  afterAll(() => registry.stop());

  test('gives an image by its tag, and nobody is asked for what is there by its digest', async () => {
    const repository = `${registry.host}/team/app`;
    const ready = await store.ready({ repository, tag: 'v1' }, never);
    expect(ready.digest).toBe(image.digest);
    expect(ready.layers.map(({ path }) => digestOf(readFileSync(path)))).toEqual(ready.layers.map((one) => one.digest));
    const nobody = { repository: 'registry.invalid/team/app', digest: image.digest };
    expect(await newStore().ready(nobody, never)).toEqual(ready);
  });

  test('does not have what it does not have', async () => {
    const repository = `${registry.host}/team/app`;
    expect(await refusal(store.ready({ repository, tag: 'v9' }, never))).toMatch(/does not have the tag v9/);
    const digest = digestOf(Buffer.from('another'));
    expect(await refusal(store.ready({ repository, digest }, never))).toMatch(/does not have the image sha256/);
    const unknown = `${registry.host}/team/unknown`;
    expect(await refusal(store.ready({ repository: unknown, tag: 'v1' }, never))).toMatch(/unknown does not have/);
  });

  test('behind a token server it is read with credentials, which go nowhere else', async () => {
    const storage = await startAnswering(async (request, response) => {
      response.end(Buffer.from(await (await fetch(`${registry.url}${request.url}`)).arrayBuffer()));
    });
    const front = await startAnswering(async (request, response) => {
      const url = new URL(request.url ?? '', front.url);
      if (url.pathname === '/token') {
        const right = request.headers.authorization === `Basic ${Buffer.from('me:secret').toString('base64')}`;
        const scoped = url.searchParams.get('scope') === 'repository:team/app:pull';
        return void (right && scoped ? response.end('{"token":"a-token"}') : response.writeHead(401).end());
      }
      if (request.headers.authorization !== 'Bearer a-token') {
        const challenge = `Bearer realm="${front.url}/token",service="s",scope="repository:team/app:pull"`;
        return void response.writeHead(401, { 'www-authenticate': challenge }).end();
      }
      if (url.pathname.includes('/blobs/'))
        return void response.writeHead(307, { location: storage.url + request.url }).end();
      const headers = { accept: request.headers.accept ?? '' };
      const answer = await fetch(`${registry.url}${request.url}`, { headers });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    stops.push(storage.stop, front.stop);
    const repository = `${front.host}/team/app`;
    expect(await refusal(store.ready({ repository, tag: 'v1' }, never))).toMatch(/without credentials/);
    const wrong = store.ready({ repository, tag: 'v1', credential: { username: 'me', password: 'hunter2' } }, never);
    const sentence = await refusal(wrong);
    expect(sentence).toMatch(/refuses the credentials/);
    expect(sentence).not.toContain('hunter2');
    const credential = { username: 'me', password: 'secret' };
    expect((await store.ready({ repository, tag: 'v1', credential }, never)).digest).toBe(image.digest);
    expect(storage.asked.length).toBe(3);
    expect(storage.asked.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });
});

test('a download that breaks off goes on where it was', async () => {
  const half = Math.floor(layer.length / 2);
  let broken = 0;
  const server = await answering((request, response) => {
    if (!isLayer(request) || broken > 0) return false;
    broken += 1;
    response.writeHead(200, { 'content-length': layer.length });
    // Ended and not reset: a reset may take away what has arrived already.
    response.write(layer.subarray(0, half), () => response.socket?.end());
    return true;
  });
  const ready = await store.ready({ repository: `${server.host}/app`, tag: 'v1' }, never);
  expect(digestOf(readFileSync(ready.layers[0]?.path ?? ''))).toBe(digestOf(layer));
  const ranges = server.asked.filter(({ path }) => path.endsWith(digestOf(layer))).map(({ headers }) => headers.range);
  // From what had arrived when the connection ended, which may be less than was sent.
  const [first, second] = ranges;
  const from = Number(/^bytes=(\d+)-$/.exec(second ?? '')?.[1]);
  expect([ranges.length, first]).toEqual([2, undefined]);
  expect(from).toBeGreaterThan(0);
  expect(from).toBeLessThanOrEqual(half);
});

test('an agent that is killed during a download leaves nothing that is taken for the image', async () => {
  let stalled = false;
  const server = await answering((request, response) => {
    if (!isLayer(request) || stalled) return false;
    stalled = true;
    response.writeHead(200, { 'content-length': layer.length });
    response.write(layer.subarray(0, 100_000));
    return true;
  });
  const wanted = { repository: `${server.host}/app`, tag: 'v1' };
  const script = `import { ImageStore } from ${JSON.stringify(new URL('./image-store.ts', import.meta.url).href)};
    const store = new ImageStore(${JSON.stringify(home)}, { limitBytes: 1e9, maxImageBytes: 1e9 });
    await store.ready(${JSON.stringify(wanted)}, new AbortController().signal);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  stops.push(async () => void child.kill('SIGKILL'));
  await until('a draft is being written', async () => stalled && drafts().length > 0);
  child.kill('SIGKILL');
  await until('the agent is dead', async () => child.signalCode !== null);
  expect(drafts().length).toBeGreaterThan(0);
  const after = newStore();
  expect(drafts()).toEqual([]);
  const ready = await after.ready(wanted, never);
  expect(digestOf(readFileSync(ready.layers[0]?.path ?? ''))).toBe(digestOf(layer));
});

test('what two want at the same time is fetched once, and goes on when one of them gives up', async () => {
  const answered: ServerResponse[] = [];
  const server = await answering((request, response) => {
    if (!isLayer(request)) return false;
    answered.push(response);
    return true;
  });
  const wanted = { repository: `${server.host}/app`, tag: 'v1' };
  const impatient = new AbortController();
  const first = store.ready(wanted, impatient.signal).catch((error: unknown) => error);
  const second = store.ready(wanted, never);
  await until('the layer is asked for', async () => answered.length > 0);
  impatient.abort(new Error('given up'));
  expect(String(await first)).toMatch(/given up/);
  for (const response of answered) response.end(layer);
  expect((await second).digest).toBe(image.digest);
  expect(answered.length).toBe(1);
});

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
      (request, response) => isLayer(request) && response.end(Buffer.alloc(layer.length)) !== undefined,
    ],
    ['sends a layer that never ends', /sends more for/, (request, response) => isLayer(request) && endless(response)],
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
      (request, response) => isLayer(request) && redirect(response, 'http://169.254.169.254/latest/meta-data/'),
    ],
    [
      'leads to the metadata of a cloud in another notation',
      /no registry has/,
      (request, response) => isLayer(request) && redirect(response, 'https://[::ffff:a9fe:a9fe]/'),
    ],
    [
      'leads to a file',
      /only https/,
      (request, response) => isLayer(request) && redirect(response, 'file:///etc/passwd'),
    ],
    [
      'leads in a circle',
      /without end/,
      (request, response) => isLayer(request) && redirect(response, request.url ?? ''),
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
    const server = await answering(own);
    expect(await refusal(store.ready({ repository: `${server.host}/app`, tag: 'v1' }, never))).toMatch(sentence);
    expect(readdirSync(join(home, 'records'))).toEqual([]);
    expect(existsSync(join(home, 'blobs', digestOf(layer).slice(7)))).toBe(false);
  });
});

test.each([
  ['169.254.169.254/app', /no registry has/],
  ['../etc/passwd', /is not a repository/],
  ['Registry.example.com/../app', /is not a repository/],
  ['registry.example.com/app@sha256', /is not a repository/],
  ['user:password@registry.example.com/app', /is not a repository/],
])('%s is refused before anybody is asked', async (repository, sentence) => {
  expect(await refusal(store.ready({ repository, tag: 'v1' }, never))).toMatch(sentence);
});

test('a registry that cannot be reached or has trouble may be asked again', async () => {
  const server = await answering((_request, response) => response.writeHead(503).end('secret') !== undefined);
  for (const repository of [`${server.host}/app`, '127.0.0.1:1/app']) {
    const error = await store.ready({ repository, tag: 'v1' }, never).catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(Refusal);
    expect(String(error)).toMatch(/answered 503|could not be reached: ECONNREFUSED/);
  }
});

test.each([
  ['app', false, 'https://registry-1.docker.io/', 'library/app'],
  ['team/app', false, 'https://registry-1.docker.io/', 'team/app'],
  ['docker.io/app', false, 'https://registry-1.docker.io/', 'library/app'],
  ['registry.example.com/app', false, 'https://registry.example.com/', 'app'],
  ['registry.example.com:5000/a/b/c', true, 'http://registry.example.com:5000/', 'a/b/c'],
  ['registry.example.com:443/app', true, 'http://registry.example.com:443/', 'app'],
  ['localhost/app', false, 'http://localhost/', 'app'],
  ['127.0.0.2:5000/app', false, 'http://127.0.0.2:5000/', 'app'],
  ['[::1]:5000/app', false, 'http://[::1]:5000/', 'app'],
  ['10.0.0.1:5000/app', false, 'https://10.0.0.1:5000/', 'app'],
])('%s is where everybody looks for it', (name, insecure, registry, path) => {
  expect(repositoryOf(name, insecure)).toEqual({ registry: new URL(registry), path });
});
