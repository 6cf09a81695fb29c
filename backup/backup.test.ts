import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { createZstdCompress } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { afterAll, describe, expect, test } from 'vitest';
import { readSettings } from '../domain/settings/settings.ts';
import { addFile, archived, unpackArchive } from './archive.ts';
import { newOpeningKey, readOpeningKey } from './backup-key.ts';
import { backupsIn, findBackup } from './backups-in.ts';
import { clearForRestore } from './home-files.ts';
import { checkImage, copyImages, deleteOtherImages, imagesIn, restoreImage } from './images.ts';
import { type Manifest, writeManifest } from './manifest.ts';
import { openPlace } from './place.ts';
import { checkFile, readSealed, writeSealed } from './sealed.ts';

const directory = mkdtempSync(join(tmpdir(), 'ballast-backup-'));
const [key, other] = await Promise.all([newOpeningKey(), newOpeningKey()]);
const place = openPlace(join(directory, 'place'), readSettings({}));
afterAll(() => rmSync(directory, { recursive: true }));

const bytes = Buffer.from('what only the holder of the key may read\n'.repeat(40_000));
const source = () => Readable.from([bytes.subarray(0, 70_000), bytes.subarray(70_000)]);

describe('a file of a backup', () => {
  test('is opened by its key alone, and the place holds nothing that can be read', async () => {
    const file = await writeSealed(place, 'a/file.age', source(), key);
    expect(await buffer(await readSealed(place, 'a/file.age', key, file))).toEqual(bytes);
    const stored = await buffer((await place.read('a/file.age')) ?? source());
    expect([stored.length, stored.includes('holder')]).toEqual([file.bytes, false]);
    await expect(readSealed(place, 'a/file.age', other, file)).rejects.toThrow(/another key/);
  });

  test.each([
    ['a changed byte', (stored: Buffer) => stored.fill(1, 100_000, 100_001)],
    ['a lost end', (stored: Buffer) => stored.subarray(0, 100_000)],
    ['another file of the same key', async () => await sealedAs('b/other.age')],
  ])('with %s is refused, with the key and without', async (_, change) => {
    const file = await writeSealed(place, 'b/file.age', source(), key);
    const stored = await buffer((await place.read('b/file.age')) ?? source());
    await place.write('b/file.age', Readable.from([await change(stored)]));
    await expect(checkFile(place, 'b/file.age', file)).rejects.toThrow(/another digest/);
    await expect(readSealed(place, 'b/file.age', key, file).then(buffer)).rejects.toThrow(/damaged|another digest/);
  });

  test('a source that fails leaves nothing in the place', async () => {
    const failing = archived(async (archive) => {
      await addFile(archive, 'there', import.meta.filename);
      throw new Error('The source is gone.');
    });
    await expect(writeSealed(place, 'c/file.age', failing, key)).rejects.toThrow('The source is gone.');
    expect(await place.list('c/')).toEqual([]);
  });

  async function sealedAs(at: string): Promise<Buffer> {
    await writeSealed(place, at, source(), key);
    return await buffer((await place.read(at)) ?? source());
  }
});

describe('backup.json', () => {
  const manifest = (name: string, recipient: string): Manifest => ({
    ...{ format: 1, name, createdAt: '2026-11-27T10:00:00.000Z', version: '0.1.0', recipient },
    ...{ ownDatabase: false, ownTemporal: false },
    files: { home: { file: 'home.tar.zst.age', bytes: 3, sha256: 'a'.repeat(64) } },
  });
  const [first, second] = ['2026-11-26T10-00-00Z-aaaaaa', '2026-11-27T10-00-00Z-bbbbbb'];
  const put = async (name: string, content: string) =>
    await place.write(`${name}/backup.json`, Readable.from([Buffer.from(content)]));

  test('the newest backup is found, and one that is not complete is none', async () => {
    for (const name of [first, second]) await put(name, writeManifest(manifest(name, key.recipient), key));
    await place.write('2026-11-28T10-00-00Z-cccccc/home.tar.zst.age', source());
    expect((await backupsIn(place)).map(({ name }) => name)).toEqual([second, first]);
    expect((await findBackup(place, undefined, key)).name).toBe(second);
    await expect(findBackup(place, '2026-11-28T10-00-00Z-cccccc', key)).rejects.toThrow(/no complete backup/);
  });

  test.each([
    ['changed', (one: string) => one.replace('"0.1.0"', '"0.1.1"'), /was changed after it was written/],
    [
      'written by who has the recipient alone',
      () => writeManifest(manifest(second, key.recipient), { ...key, proof: Buffer.alloc(32) }),
      /somebody else/,
    ],
    ['of another key', () => writeManifest(manifest(second, other.recipient), other), /find the key/],
    ['copied from another backup', () => writeManifest(manifest(first, key.recipient), key), /is the copy of/],
    ['of a later format', () => JSON.stringify({ manifest: { format: 2 }, proof: '' }), /newer Ballast/],
    ['half written', () => '{"manifest":', /is damaged/],
  ])('one that was %s is not used', async (_, change, why) => {
    await put(second, change(writeManifest(manifest(second, key.recipient), key)));
    await expect(findBackup(place, second, key)).rejects.toThrow(why);
    expect((await backupsIn(place, key)).map(({ name }) => name)).not.toContain(second);
  });
});

test('a key is read out of a file with comments; a mistyped one is refused by a sentence', async () => {
  const file = join(directory, 'key.txt');
  writeFileSync(file, `# Backups of Ballast\n  ${key.secret}  \n`);
  expect(await readOpeningKey(file)).toEqual(key);
  writeFileSync(
    file,
    key.secret.replace(/.$/, (end) => (end === 'Q' ? 'P' : 'Q')),
  );
  await expect(readOpeningKey(file)).rejects.toThrow(/mistyped/);
  writeFileSync(file, 'nothing');
  await expect(readOpeningKey(file)).rejects.toThrow(/--new-key/);
});

describe('an archive', () => {
  type Entry = Partial<Header> & { name: string };
  const of = (...entries: Entry[]): Readable => {
    const archive = pack();
    for (const entry of entries) archive.entry(entry, entry.type === undefined ? 'x' : '');
    archive.finalize();
    return Readable.from(archive, { objectMode: false }).pipe(createZstdCompress());
  };

  test.each<Entry>([
    { name: '../outside' },
    { name: '/outside' },
    { name: 'a/../../outside' },
    { name: 'link', type: 'symlink', linkname: '/etc/passwd' },
    { name: 'link', type: 'link', linkname: '/etc/passwd' },
    { name: 'fifo', type: 'fifo' },
  ])('with $name ($type) is refused, and nothing is written outside', async (entry) => {
    const into = mkdtempSync(join(directory, 'into-'));
    await expect(unpackArchive(of(entry), into, {})).rejects.toThrow(/which no backup of ours has/);
  });

  test('a file that is cut while it is read has the length of before', async () => {
    const path = join(directory, 'growing');
    writeFileSync(path, Buffer.alloc(3_000_000, 1));
    const into = mkdtempSync(join(directory, 'into-'));
    const reading = archived(async (archive) => {
      const adding = addFile(archive, 'growing', path);
      truncateSync(path, 1_000_000);
      await adding;
    });
    await unpackArchive(reading, into, {});
    const read = readFileSync(join(into, 'growing'));
    expect([read.length, read[10], read[2_999_999]]).toEqual([3_000_000, 1, 0]);
  });
});

test('images are copied once, checked by their digests, and deleted when no backup names them', async () => {
  const registry = join(directory, 'registry');
  const blob = 'blobs/sha256/ba/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  mkdirSync(join(registry, 'blobs/sha256/ba'), { recursive: true });
  writeFileSync(join(registry, blob), 'abc');
  writeFileSync(join(registry, 'blobs/sha256/ba/draft.part'), 'half');
  expect(imagesIn(registry)).toEqual([{ path: blob, bytes: 3 }]);
  expect(await copyImages(place, registry, key, new Map())).toBe(1);
  const known = new Map();
  expect(await copyImages(place, registry, key, known)).toBe(0);
  const [image] = [...known.values()];
  await checkImage(place, image, key);
  await restoreImage(place, image, key, join(directory, 'restored'));
  expect(readFileSync(join(directory, 'restored', blob), 'utf8')).toBe('abc');
  // Somebody who knows the recipient has put another one in its place.
  const [at = ''] = await place.list('images/');
  await writeSealed(place, at, Readable.from([Buffer.from('evil')]), key);
  await expect(checkImage(place, image, key)).rejects.toThrow(/not the image of its digest/);
  expect(await deleteOtherImages(place, key, [])).toBe(1);
  expect(await place.list('images/')).toEqual([]);
});

test('an image that is deleted while others are copied is left out', async () => {
  const registry = join(directory, 'emptied');
  const blobs = ['aa', 'bb'].map((two) => `blobs/sha256/${two}/${two.repeat(32)}`);
  for (const blob of blobs) {
    mkdirSync(join(registry, blob, '..'), { recursive: true });
    writeFileSync(join(registry, blob), blob);
  }
  const written: string[] = [];
  const deleting = Object.assign(Object.create(place), {
    write: async (at: string, from: Readable) => {
      written.push(at);
      for (const blob of blobs) if (!at.includes(blob.slice(-64))) rmSync(join(registry, blob), { force: true });
      await place.write(at, from);
    },
  });
  const known = new Map();
  expect(await copyImages(deleting, registry, key, known)).toBe(1);
  expect([known.size, written.length]).toEqual([1, 1]);
});

test('a restore overwrites nothing, and deletes what an interrupted one left, and that alone', () => {
  const home = join(directory, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'mine'), '');
  expect(() => clearForRestore(home)).toThrow(/is not empty/);
  rmSync(join(home, 'mine'));
  clearForRestore(home);
  mkdirSync(join(home, 'keys'));
  cpSync(import.meta.filename, join(home, 'keys', 'half'));
  symlinkSync(directory, join(home, 'postgres'));
  clearForRestore(home);
  expect(() => readFileSync(join(home, 'keys', 'half'))).toThrow(/ENOENT/);
  expect(readFileSync(join(directory, 'key.txt'), 'utf8')).toBe('nothing');
});

test('a place that is none is refused by a sentence', async () => {
  expect(() => openPlace('https://example.com/backups', readSettings({}))).toThrow(/s3:\/\/BUCKET\/PREFIX/);
  expect(() => openPlace('s3://backups/main', readSettings({}))).toThrow(/BACKUP_S3_ACCESS_KEY_ID/);
  const file = openPlace(join(directory, 'key.txt'), readSettings({}));
  await expect(file.write('a/b', source())).rejects.toThrow(/cannot be used for backups: it is no directory/);
  expect(await text(Readable.from([]))).toBe('');
});
