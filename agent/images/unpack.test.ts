import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder, undoing } from '../../machine/test-ground.ts';
import { type Compression, digestOf, type Entry, handMadeLayout, tarOf } from '../../test/images/hand-made-image.ts';
import { Refusal } from '../program/refusal.ts';
import { ImageStore } from './image-store.ts';
import { type UnpackLimits, unpack } from './unpack.ts';

let home: string;
let root: string;
const undo = undoing();
const never = new AbortController().signal;

beforeEach(() => {
  home = temporaryFolder();
  root = join(home, 'roots/one');
  writeFileSync(join(home, 'outside'), 'untouched');
});

const symlink = (name: string, linkname: string): Entry => ({ name, type: 'symlink', linkname });
const hardlink = (name: string, linkname: string): Entry => ({ name, type: 'link', linkname });
const file = (name: string): Entry => ({ name, content: 'x' });

type Changes = Parameters<typeof handMadeLayout>[1];
async function unpacked(layers: readonly (readonly Entry[] | Buffer)[], changes?: Changes, limits?: UnpackLimits) {
  const { layout } = await handMadeLayout(layers, changes);
  undo.push(() => rmSync(layout, { recursive: true }));
  const store = new ImageStore(join(home, 'images'), { limitBytes: 1e9, maxImageBytes: 1e9 });
  await unpack(await store.ready({ layout }, never), root, never, limits);
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const mode = (path: string) => statSync(join(root, path)).mode & 0o7777;

test.each<Compression>(['tar', 'gzip', 'zstd'])('layers (%s) are put upon each other', async (compression) => {
  const layers: Entry[][] = [
    [
      { name: './', type: 'directory', mode: 0o777 },
      { name: 'usr/bin', type: 'directory', mode: 0o755 },
      { name: 'usr/bin/old', content: 'old', mode: 0o6777 },
      symlink('bin', 'usr/bin'),
      { name: 'data/gone', content: '' },
      { name: 'data/kept', content: 'kept' },
      { name: 'hidden/a/b', content: 'below' },
      { name: 'turned', content: 'a file' },
    ],
    [
      { name: 'bin/new', content: 'through a link', mode: 0o755 },
      { name: 'data/.wh.gone' },
      { name: 'hidden/a/c', content: 'above' },
      { name: 'hidden/.wh..wh..opq' },
      { name: 'turned', type: 'directory', mode: 0o500 },
      { name: 'turned/inside', content: 'a directory now' },
      { name: 'second', type: 'link', linkname: 'data/kept' },
      { name: '.wh..wh.plnk', content: 'means nothing' },
    ],
  ];
  await unpacked(layers, { compression });
  expect([read('usr/bin/new'), read('turned/inside'), read('second')]).toEqual([
    'through a link',
    'a directory now',
    'kept',
  ]);
  expect(readdirSync(join(root, 'data'))).toEqual(['kept']);
  expect(readdirSync(join(root, 'hidden/a'))).toEqual(['c']);
  expect(readdirSync(root).sort()).toEqual(['bin', 'data', 'hidden', 'second', 'turned', 'usr']);
  expect([mode('usr/bin/old'), mode('usr/bin/new'), mode('')]).toEqual([0o755, 0o755, 0o755]);
});

const long = 'x'.repeat(300);
const hostile: [string, Entry[], RegExp][] = [
  ['a name that leads up', [file('../outside')], /leads out of the image/],
  ['a name that leads up in its middle', [file('a/../../outside')], /leads out of the image/],
  ['a name that leads up within the image', [file('a/../b')], /whose name leads out/],
  ['a name that is up itself', [{ name: 'a/b/..', type: 'directory' }], /whose name leads out/],
  ['an absolute name', [file('/outside')], /absolute name/],
  ['an absolute link', [symlink('a', '/etc')], /absolute link/],
  ['a link that leads up', [symlink('a', '../../outside')], /link that leads out/],
  ['a file through a link that leads up', [symlink('d/a', '../..'), file('d/a/outside')], /link that leads out/],
  [
    'links that lead out together only',
    [symlink('deep/er/x', '../..'), symlink('y', 'deep/er/x/../../outside')],
    /link that leads out/,
  ],
  [
    'a link whose way is changed afterwards',
    [{ name: 'd/e', type: 'directory' }, symlink('y', 'd/e/../../../roots')],
    /link that leads out/,
  ],
  ['links in a circle', [symlink('a', 'b'), symlink('b', 'a'), file('a/f')], /circle/],
  ['a hard link that leads up', [hardlink('a', '../../outside')], /leads out of the image/],
  ['an absolute hard link', [hardlink('a', '/etc/passwd')], /absolute name/],
  ['a hard link to a link', [symlink('a', 'b'), hardlink('c', 'a')], /hard link/],
  ['a device', [{ name: 'a', type: 'character-device', devmajor: 1, devminor: 3 }], /neither a file/],
  ['a pipe', [{ name: 'a', type: 'fifo' }], /neither a file/],
  ['a too long name', [file(long)], /too long name/],
  ['a too long path', [{ name: 'abcdefg/'.repeat(300), type: 'directory' }], /too long path/],
  ['a file beneath a file', [file('a'), file('a/b')], /beneath/],
  ['a whiteout of what is above', [{ name: 'a/.wh...' }], /hides/],
  ['a whiteout that leads up', [{ name: '../.wh.outside' }], /leads out of the image/],
];

test.each(hostile)('%s is refused, and nothing stays', async (_name, entries, sentence) => {
  const refused = await unpacked([[{ name: 'first', content: 'x' }], entries]).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refusal);
  expect(String(refused)).toMatch(sentence);
  expect(readFileSync(join(home, 'outside'), 'utf8')).toBe('untouched');
  expect(readdirSync(join(home, 'roots'))).toEqual([]);
});

test('what is too large when it is unpacked, or too much, or no archive, or something else is refused', async () => {
  const bomb = [{ name: 'zeros', content: '\0'.repeat(2_000_000) }];
  const many = Array.from({ length: 20 }, (_, number) => ({ name: `f${number}`, content: '' }));
  const cut = (await tarOf([{ name: 'a', content: 'x'.repeat(5000) }])).subarray(0, 3000);
  const limits = { bytes: 1_000_000, entries: 10 };
  await expect(unpacked([bomb], {}, limits)).rejects.toThrow(/too large when it is unpacked/);
  await expect(unpacked([many], {}, limits)).rejects.toThrow(/too many files/);
  await expect(unpacked([cut])).rejects.toThrow(/not a readable archive/);
  await expect(unpacked([Buffer.alloc(2048, 'x')])).rejects.toThrow(/not a readable archive/);
  await expect(unpacked([[]], { diffIds: [digestOf(Buffer.from('other'))] })).rejects.toThrow(/other content/);
  expect(readdirSync(join(home, 'roots'))).toEqual([]);
});

test('random bytes in an archive never write outside of the image', async () => {
  const good = await tarOf([
    symlink('d/link', '../x'),
    { name: 'd/file', content: 'content' },
    { name: 'x', content: 'y' },
  ]);
  for (let round = 0; round < 8; round += 1) {
    const bytes = Buffer.from(good);
    // Always the same ones, so that what is found once is found again.
    for (let at = 0; at < 6; at += 1)
      bytes[(round * 7919 + at * 104_729) % bytes.length] = (round * 31 + at * 17) % 256;
    const result = await unpacked([bytes], { compression: 'tar' }).catch((error: unknown) => error);
    if (result !== undefined) expect(result).toBeInstanceOf(Refusal);
    rmSync(root, { recursive: true, force: true });
  }
  expect(readdirSync(home).sort()).toEqual(['images', 'outside', 'roots']);
  expect(readdirSync(join(home, 'roots'))).toEqual([]);
});

test('a draft of an agent that was killed is cleared, and a directory that is there stays', async () => {
  await unpacked([[{ name: 'a', content: '1' }]]);
  writeFileSync(`${root}.0123456789ab.draft`, 'left');
  await unpacked([[{ name: 'a', content: '2' }]]);
  expect(read('a')).toBe('1');
  rmSync(root, { recursive: true });
  await unpacked([[{ name: 'a', content: '2' }]]);
  expect(read('a')).toBe('2');
  expect(existsSync(`${root}.0123456789ab.draft`)).toBe(false);
});
