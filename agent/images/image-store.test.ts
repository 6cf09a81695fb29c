import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder, undoing } from '../../machine/test-ground.ts';
import { digestOf, handMadeLayout } from '../../test/images/hand-made-image.ts';
import { sampleLayout } from '../../test/images/sample-image.ts';
import { hostBound, type ReadyImage } from '../drivers/image.ts';
import { Refusal } from '../program/refusal.ts';
import { ImageStore } from './image-store.ts';

let home: string;
const undo = undoing();
const never = new AbortController().signal;

beforeEach(() => {
  home = temporaryFolder();
});

const storeOf = (limitBytes = 1e9, maxImageBytes = 1e9) =>
  new ImageStore(join(home, 'images'), { limitBytes, maxImageBytes });
const blobs = () => readdirSync(join(home, 'images/blobs')).map((name) => `sha256:${name}`);

async function handMade(...options: Parameters<typeof handMadeLayout>) {
  const made = await handMadeLayout(...options);
  undo.push(() => rmSync(made.layout, { recursive: true }));
  return made;
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  expect(readdirSync(join(home, 'images/drafts'))).toEqual([]);
  expect(readdirSync(join(home, 'images/records'))).toEqual([]);
  return String(error);
}

/** Several images in one layout, listed as the test says. */
async function listed(list: (digests: string[]) => object[]) {
  const [one, two] = [await handMade([[{ name: 'one' }]]), await handMade([[{ name: 'two' }]])];
  cpSync(join(two.layout, 'blobs'), join(one.layout, 'blobs'), { recursive: true });
  writeFileSync(join(one.layout, 'index.json'), JSON.stringify({ manifests: list([one.digest, two.digest]) }));
  return { layout: one.layout, digests: [one.digest, two.digest] };
}

test('an image of a layout is taken whole, and needs its layout no more', async () => {
  const { layout, digest } = await sampleLayout(join(home, 'layout'), { environment: { A: 'b=c' }, port: 4000 });
  const ready = await storeOf().ready({ layout }, never);
  expect(ready).toMatchObject({ digest, annotations: { [hostBound]: expect.stringMatching(/^linux\//) } });
  expect(ready.config).toMatchObject({
    entrypoint: ['/app/sample'],
    environment: { A: 'b=c' },
    exposedPorts: [4000],
    workingDirectory: '/app',
  });
  expect(ready.layers.map(({ path }) => digestOf(readFileSync(path)))).toEqual(ready.layers.map((one) => one.digest));
  rmSync(layout, { recursive: true });
  expect(await storeOf().ready({ layout, digest }, never)).toEqual(ready);
});

test('of several images that for this machine is chosen, and one by its digest', async () => {
  const platform = { os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch };
  const both = await listed(([digest, other]) => [
    { digest: other, size: 1, platform: { os: 'windows', architecture: 'amd64' } },
    { digest, size: 1, platform },
  ]);
  expect((await storeOf().ready({ layout: both.layout }, never)).digest).toBe(both.digests[0]);
  const named = { layout: both.layout, digest: both.digests[1] ?? '' };
  expect((await storeOf().ready(named, never)).digest).toBe(both.digests[1]);
});

test('which of several images is meant must be said', async () => {
  const two = await listed((digests) => digests.map((digest) => ({ digest, size: 1 })));
  const sentence = await refusal(storeOf().ready({ layout: two.layout }, never));
  for (const digest of two.digests) expect(sentence).toContain(digest);
  const other = { layout: two.layout, digest: digestOf(Buffer.from('no such image')) };
  expect(await refusal(storeOf().ready(other, never))).toContain(two.digests[0]);
  const none = await listed(([digest]) => [{ digest, size: 1, platform: { os: 'plan9', architecture: 'mips' } }]);
  expect(await refusal(storeOf().ready({ layout: none.layout }, never))).toMatch(/it has plan9\/mips/);
});

test.each<[string, (blob: string, layout: string) => void, RegExp]>([
  [
    'a layer with another content',
    (blob) => writeFileSync(blob, Buffer.alloc(readFileSync(blob).length)),
    /other content/,
  ],
  ['a layer that is cut off', (blob) => truncateSync(blob, 5), /only 5 of/],
  ['a layer that is longer', (blob) => writeFileSync(blob, Buffer.alloc(100_000)), /sends more/],
  ['no layer', (blob) => rmSync(blob), /has no blob/],
  [
    'a link to a file outside',
    (blob) => {
      renameSync(blob, join(home, 'outside'));
      symlinkSync(join(home, 'outside'), blob);
    },
    /has a link/,
  ],
  [
    'a link to a directory outside',
    (_blob, layout) => {
      renameSync(join(layout, 'blobs'), join(home, 'outside'));
      symlinkSync(join(home, 'outside'), join(layout, 'blobs'));
    },
    /has a link/,
  ],
  ['no index', (_blob, layout) => rmSync(join(layout, 'index.json')), /no index.json/],
  ['an index that is none', (_blob, layout) => writeFileSync(join(layout, 'index.json'), 'no'), /not a JSON object/],
  ['no directory', (_blob, layout) => renameSync(join(layout, 'blobs'), join(layout, 'other')), /has no image/],
])('a layout with %s is refused, and nothing stays', async (_name, damage, sentence) => {
  const { layout, digest } = await handMade([[{ name: 'a', content: 'x' }]]);
  const [layer] = JSON.parse(readFileSync(join(layout, 'blobs', digest.replace(':', '/')), 'utf8')).layers;
  damage(join(layout, 'blobs', layer.digest.replace(':', '/')), layout);
  expect(await refusal(storeOf().ready({ layout }, never))).toMatch(sentence);
  expect(existsSync(join(home, 'images/blobs', layer.digest.slice(7)))).toBe(false);
});

test('an image that is too large, for another machine or badly described is refused', async () => {
  const ready = async (...options: Parameters<typeof handMadeLayout>) =>
    storeOf(1e9, 1_000_000).ready({ layout: (await handMade(...options)).layout }, never);
  const layers = [[{ name: 'a', content: 'x' }]];
  expect(await refusal(ready(layers, { layerSize: 10_000_000_000 }))).toMatch(/are not taken/);
  expect(await refusal(ready(layers, { architecture: 's390x' }))).toMatch(/this machine is linux/);
  expect(await refusal(ready(layers, { diffIds: [] }))).toMatch(/another number of layers/);
  expect(await refusal(storeOf().ready({ layout: 'relative' }, never))).toMatch(/absolute path/);
});

test('what nothing uses is freed, what was not used for the longest time first, and layers that others need stay', async () => {
  const shared = { name: 'shared', content: 'in all of them' };
  const made: { layout: string; ready: ReadyImage }[] = [];
  const store = storeOf(0);
  for (const name of ['kept', 'other']) {
    const { layout } = await handMade([[shared], [{ name, content: name }]]);
    made.push({ layout, ready: await store.ready({ layout }, never) });
  }
  const [kept, other] = made;
  if (kept === undefined || other === undefined) throw new Error('There are two images.');
  await storeOf().collect(new Set());
  expect(blobs().length).toBe(7);
  await store.collect(new Set([kept.ready.digest]));
  const config = `sha256:${kept.ready.configPath.split('/').at(-1)}`;
  const parts = [kept.ready.digest, config, ...kept.ready.layers.map((layer) => layer.digest)];
  expect(blobs().sort()).toEqual(parts.sort());
  expect(await store.ready({ layout: other.layout }, never)).toEqual(other.ready);
  await store.collect(new Set());
  expect(blobs()).toEqual([]);
});

test('an image that was found by a list of images is found again by it, without its layout', async () => {
  const two = await listed(([digest]) => [{ digest, size: 1 }]);
  const index = readFileSync(join(two.layout, 'index.json'));
  const digest = digestOf(index);
  writeFileSync(join(two.layout, 'blobs', digest.replace(':', '/')), index);
  const ready = await storeOf().ready({ layout: two.layout, digest }, never);
  expect(ready.digest).toBe(two.digests[0]);
  await storeOf(0).collect(new Set([ready.digest]));
  expect(await storeOf().ready({ layout: '/nowhere', digest }, never)).toEqual(ready);
});
