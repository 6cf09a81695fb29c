import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { unpackSource } from './unpack-source.ts';

const directory = temporaryFolder();
const limits = { bytes: 100_000, files: 50 };
const { signal } = new AbortController();

type Entry = Partial<Header> & { name: string; content?: string };

const symlink = (name: string, linkname: string): Entry => ({ name, type: 'symlink', linkname });

async function unpacked(entries: Entry[], cut?: number) {
  const archive = pack();
  for (const { content = '', ...header } of entries) archive.entry(header, content);
  archive.finalize();
  const bytes = await buffer(archive);
  return await unpackSource(Readable.from([bytes.subarray(0, cut)]), join(directory, 'source'), limits, signal);
}

test('files, folders and links within the source are there, only the right to be run is kept', async () => {
  const found = await unpacked([
    { name: 'bin/run.sh', mode: 0o4777, content: 'run' },
    { name: '.wh.kept', content: 'no layer' },
    { name: 'a\nb', content: 'of two lines' },
    { name: '--upload-pack=touch', content: 'plain' },
    symlink('link', 'bin/run.sh'),
  ]);
  expect(found.files).toBe(5);
  const at = (name: string) => join(directory, 'source', name);
  expect(statSync(at('bin/run.sh')).mode & 0o7777).toBe(0o755);
  expect(readFileSync(at('link'), 'utf8')).toBe('run');
  expect(['.wh.kept', 'a\nb', '--upload-pack=touch'].map((name) => existsSync(at(name)))).toEqual([true, true, true]);
});

const content = 'hostile';
test.each([
  ['an absolute name', [{ name: '/tmp/ballast-hostile', content }], /absolute name, "\/tmp\/ballast-hostile"/],
  ['a name that leads up', [{ name: 'a/../../hostile', content }], /leads out of the source, "a\/\.\.\/\.\.\/hostile"/],
  ['a link out of it', [symlink('out', '../..')], /link that leads out of the source.*"out"/],
  ['an absolute link', [symlink('out', '/etc')], /absolute link, "out"/],
  ['a file through a link', [symlink('a', '..'), { name: 'a/hostile', content }], /link that leads out of the source/],
  [
    'a chain of links',
    [symlink('d/e/up', '../..'), symlink('far', 'd/e/up/..')],
    /link that leads out of the source.*"far"/,
  ],
  ['a hard link to what it lacks', [{ name: 'shadow', type: 'link', linkname: 'etc/shadow' }], /hard link, "shadow"/],
  ['a device', [{ name: 'disk', type: 'block-device', devmajor: 8, devminor: 0 }], /"disk", which is neither a file/],
  ['a pipe', [{ name: 'pipe', type: 'fifo' }], /"pipe", which is neither a file/],
  ['too many files', Array.from({ length: 51 }, (_, n) => ({ name: `f${n}` })), /more than 50 files; "f50"/],
  ['too large a file', [{ name: 'large', content: 'x'.repeat(100_001) }], /larger than .*; "large" does not fit/],
] as [string, Entry[], RegExp][])(
  '%s is refused with the path, and nothing is written elsewhere',
  async (_, entries, message) => {
    await expect(unpacked(entries)).rejects.toThrow(message);
    expect(
      [join(directory, 'hostile'), '/tmp/ballast-hostile', join(directory, '..', 'hostile')].filter(existsSync),
    ).toEqual([]);
  },
);

test('an archive that breaks off is not taken for a whole one', async () => {
  await expect(unpacked([{ name: 'a', content: 'x'.repeat(2_000) }], 1_000)).rejects.toThrow();
});
