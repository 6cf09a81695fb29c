import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../test/ground/until.ts';
import { digestOf } from '../../test/images/hand-made-image.ts';
import { push, registryIsThere, startAnswering, startRegistry } from '../../test/images/registry.ts';
import { RegistryBench } from '../../test/images/registry-bench.ts';
import { notRun } from '../../test/run/not-run.ts';
import { Refusal } from '../program/refusal.ts';
import type { ImageStore } from './image-store.ts';

let bench: RegistryBench;
let store: ImageStore;
let image: RegistryBench['image'];
let layer: Buffer;
const never = new AbortController().signal;

beforeAll(async () => {
  bench = await RegistryBench.begun();
  ({ image, layer } = bench);
});
afterAll(() => bench.close());
beforeEach(() => {
  store = bench.open();
});
afterEach(() => bench.clear());

if (!registryIsThere) notRun('registry', 'install docker-registry', 'docker-registry');

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
    expect(await bench.newStore().ready(nobody, never)).toEqual(ready);
  });

  test('does not have what it does not have', async () => {
    const repository = `${registry.host}/team/app`;
    expect(await bench.refusal(store.ready({ repository, tag: 'v9' }, never))).toMatch(/does not have the tag v9/);
    const digest = digestOf(Buffer.from('another'));
    expect(await bench.refusal(store.ready({ repository, digest }, never))).toMatch(/does not have the image sha256/);
    const unknown = `${registry.host}/team/unknown`;
    expect(await bench.refusal(store.ready({ repository: unknown, tag: 'v1' }, never))).toMatch(
      /unknown does not have/,
    );
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
    bench.stops.push(storage.stop, front.stop);
    const repository = `${front.host}/team/app`;
    expect(await bench.refusal(store.ready({ repository, tag: 'v1' }, never))).toMatch(/without credentials/);
    const wrong = store.ready({ repository, tag: 'v1', credential: { username: 'me', password: 'hunter2' } }, never);
    const sentence = await bench.refusal(wrong);
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
  const server = await bench.answering((request, response) => {
    if (!bench.isLayer(request) || broken > 0) return false;
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
  const server = await bench.answering((request, response) => {
    if (!bench.isLayer(request) || stalled) return false;
    stalled = true;
    response.writeHead(200, { 'content-length': layer.length });
    response.write(layer.subarray(0, 100_000));
    return true;
  });
  const wanted = { repository: `${server.host}/app`, tag: 'v1' };
  const script = `import { ImageStore } from ${JSON.stringify(new URL('./image-store.ts', import.meta.url).href)};
    const store = new ImageStore(${JSON.stringify(bench.home)}, { limitBytes: 1e9, maxImageBytes: 1e9 });
    await store.ready(${JSON.stringify(wanted)}, new AbortController().signal);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  bench.stops.push(async () => void child.kill('SIGKILL'));
  await until('a draft is being written', async () => stalled && bench.drafts().length > 0);
  child.kill('SIGKILL');
  await until('the agent is dead', async () => child.signalCode !== null);
  expect(bench.drafts().length).toBeGreaterThan(0);
  const after = bench.newStore();
  expect(bench.drafts()).toEqual([]);
  const ready = await after.ready(wanted, never);
  expect(digestOf(readFileSync(ready.layers[0]?.path ?? ''))).toBe(digestOf(layer));
});

test('what two want at the same time is fetched once, and goes on when one of them gives up', async () => {
  const answered: ServerResponse[] = [];
  const server = await bench.answering((request, response) => {
    if (!bench.isLayer(request)) return false;
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

test('a registry that cannot be reached or has trouble may be asked again', async () => {
  const server = await bench.answering((_request, response) => response.writeHead(503).end('secret') !== undefined);
  for (const repository of [`${server.host}/app`, '127.0.0.1:1/app']) {
    const error = await store.ready({ repository, tag: 'v1' }, never).catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(Refusal);
    expect(String(error)).toMatch(/answered 503|could not be reached: ECONNREFUSED/);
  }
});
