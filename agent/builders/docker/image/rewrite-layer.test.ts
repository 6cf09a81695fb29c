import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../machine/test-ground.ts';
import { rewrittenLayer } from './rewrite-image.ts';
import { archiveEnd, type Entry, headerOf, padding, readTar } from './tar.ts';

const directory = temporaryFolder();
const path = (name: string) => join(directory, name);

async function archive(names: readonly string[], time: number): Promise<Buffer> {
  const archived = pack();
  const mtime = new Date(time);
  for (const name of names) {
    if (name === 'b/file') archived.entry({ name, mtime, mode: 0o4755, uid: 1000, pax: { gid: '3000000' } }, 'content');
    if (name === 'a/name') archived.entry({ name, mtime, type: 'link', linkname: './b/file' });
    if (name.startsWith('long'))
      archived.entry({ name, mtime, pax: { mtime: `${time}.5`, 'SCHILY.xattr.user.a': 'b' } }, name);
    if (name === 'żółć') archived.entry({ name, mtime, type: 'symlink', linkname: 'b/file' });
  }
  archived.finalize();
  return await buffer(archived);
}

const long = `long/${'name'.repeat(60)}`;

test('a layer is the same whatever the order of its entries and their times, with owners, rights and attributes as they are', async () => {
  writeFileSync(path('one'), await archive(['b/file', 'a/name', long, 'żółć'], 1_000_000));
  writeFileSync(path('two'), await archive(['żółć', long, 'b/file', 'a/name'], 2_000_000));
  const [one, two] = await Promise.all(['one', 'two'].map((name) => buffer(Readable.from(rewrittenLayer(path(name))))));
  expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true);
  writeFileSync(path('three'), one ?? '');
  const file = await open(path('three'));
  const entries = await readTar(file).finally(() => file.close());
  expect(entries).toMatchObject([
    { path: 'a/name', type: 'file', mode: 0o4755, uid: 1000, gid: 3_000_000, size: 7 },
    { path: 'b/file', type: 'link', target: 'a/name', size: 0 },
    { path: long, attributes: [['SCHILY.xattr.user.a', 'b']] },
    { path: Buffer.from('żółć').toString('latin1'), type: 'symlink', target: 'b/file' },
  ]);
});

test('attributes are bytes, and none is lost', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
  const entry: Entry = {
    ...{ path: 'program', type: 'file', mode: 0o755, uid: 0, gid: 0, target: '', device: [0, 0], offset: 0, size: 0 },
    attributes: [['SCHILY.xattr.security.capability', bytes]],
  };
  writeFileSync(path('rights'), Buffer.concat([headerOf(entry), padding(0), archiveEnd]));
  const again = await buffer(Readable.from(rewrittenLayer(path('rights'))));
  writeFileSync(path('again'), again);
  const file = await open(path('again'));
  expect((await readTar(file).finally(() => file.close()))[0]?.attributes).toEqual(entry.attributes);
});
