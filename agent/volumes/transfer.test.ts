import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';
import { type Bucket, bucketsAreThere, startBucket } from '../../test/registry/bucket.ts';
import { fetchDirectory, type StoredArchive, storeDirectory, type Transfer } from './transfer.ts';

const ground = temporaryFolder();
const folder = () => mkdtempSync(join(ground, 'volume-'));

describe.skipIf(!bucketsAreThere)('a volume and a bucket', () => {
  let bucket: Bucket;
  beforeAll(async () => {
    bucket = await startBucket('backups/');
  });
  afterAll(() => bucket.stop());

  function transfer(path: string, more: Partial<Transfer> = {}): Transfer {
    const { client } = bucket;
    const objectKey = `${crypto.randomUUID()}.tar.zst`;
    return { client, objectKey, path, passed: () => undefined, signal: new AbortController().signal, ...more };
  }

  async function thereAndBack(path: string): Promise<{ to: string; stored: StoredArchive & { warnings: string[] } }> {
    const away = transfer(path);
    const stored = await storeDirectory(away);
    const to = folder();
    await fetchDirectory({ ...away, path: to }, stored);
    return { to, stored };
  }

  test('comes back byte for byte: names, links, holes, attributes, modes and times', async () => {
    const from = folder();
    mkdirSync(join(from, 'data', 'empty'), { recursive: true });
    writeFileSync(join(from, 'data', 'with\na new line and ünïcode'), 'one');
    writeFileSync(Buffer.concat([Buffer.from(`${from}/data/`), Buffer.from([0xff, 0xfe, 0x41])]), 'no text');
    writeFileSync(join(from, 'data', `${'long'.repeat(60)}`), 'two');
    linkSync(join(from, 'data', `${'long'.repeat(60)}`), join(from, 'data', 'hard'));
    symlinkSync('../../outside', join(from, 'data', 'out'));
    symlinkSync('/etc/passwd', join(from, 'data', 'absolute'));
    writeFileSync(join(from, 'sparse'), '');
    truncateSync(join(from, 'sparse'), 20_000_000_000);
    writeSync(openSync(join(from, 'sparse'), 'r+'), 'in the middle', 10_000_000_000);
    chmodSync(join(from, 'data', 'hard'), 0o4711);
    chmodSync(join(from, 'data', 'empty'), 0o1777);
    utimesSync(join(from, 'data', 'hard'), 1_000_000_000.125, 1_000_000_000.125);
    utimesSync(join(from, 'data'), 1_100_000_000, 1_100_000_000);
    chmodSync(from, 0o751);
    const attributes = attributesWork(join(from, 'data', 'hard'));
    const { to, stored } = await thereAndBack(from);
    expect(stored.warnings).toEqual([]);
    expect(stored.sizeBytes).toBeLessThan(100_000);
    expect(tree(to)).toEqual(tree(from));
    expect(lstatSync(join(to, 'sparse')).blocks).toBeLessThan(1_000);
    expect(read(join(to, 'sparse'), 10_000_000_000, 13).toString()).toBe('in the middle');
    const hard = lstatSync(join(to, 'data', 'hard'));
    expect(hard.ino).toBe(lstatSync(join(to, 'data', `${'long'.repeat(60)}`)).ino);
    if (attributes) expect(attributeOf(join(to, 'data', 'hard'))).toBe('kept');
  });

  test('what changes while it is read is told, and a socket is left out', async () => {
    const from = folder();
    writeFileSync(join(from, 'log'), 'x'.repeat(5_000_000));
    const server = createServer().listen(join(from, 'socket'));
    const growing = { bytes: 0 };
    const passed = () => {
      growing.bytes += 1;
      if (growing.bytes < 200) appendFileSync(join(from, 'log'), 'more'.repeat(100_000));
    };
    const away = transfer(from, { passed });
    const stored = await storeDirectory(away).finally(() => server.close());
    expect(stored.warnings).toEqual([
      expect.stringMatching(/log: file changed as we read it/),
      expect.stringMatching(/socket: socket ignored/),
    ]);
    const to = folder();
    await fetchDirectory({ ...away, path: to }, stored);
    expect(readdirSync(to)).toEqual(['log']);
  });

  test('a directory that cannot be read is no backup, and nothing of it stays in the store', async () => {
    await expect(storeDirectory(transfer(join(ground, 'nothing')))).rejects.toThrow(/nothing: .*No such file/);
    expect(await bucket.uploads()).toEqual([]);
    const stopping = new AbortController();
    const from = folder();
    writeFileSync(
      join(from, 'noise'),
      Buffer.from(execFileSync('head', ['-c', '40000000', '/dev/urandom'], { maxBuffer: 5e7 })),
    );
    const passed = (_: number, stored: number) => void (stored > 0 && stopping.abort());
    await expect(storeDirectory(transfer(from, { signal: stopping.signal, passed }))).rejects.toThrow(/abort/i);
    expect(await bucket.uploads()).toEqual([]);
    expect(await bucket.keys()).not.toContain(expect.stringContaining('noise'));
  });

  test.each<[string, (bytes: Buffer, stored: StoredArchive) => [Buffer, StoredArchive]]>([
    ['a changed byte', (bytes, stored) => [flipped(bytes, bytes.length >> 1), stored]],
    ['a changed byte at its end', (bytes, stored) => [flipped(bytes, bytes.length - 1), stored]],
    ['a missing end', (bytes, stored) => [bytes.subarray(0, -10), stored]],
    [
      'a missing end that the record knows',
      (bytes, stored) => [bytes.subarray(0, -10), { ...stored, sizeBytes: stored.sizeBytes - 10 }],
    ],
    ['another archive', (bytes, stored) => [bytes, { ...stored, sha256: 'a'.repeat(64) }]],
    ['more in it than was stored', (bytes, stored) => [bytes, { ...stored, archiveBytes: stored.archiveBytes - 1 }]],
    ['less in it than was stored', (bytes, stored) => [bytes, { ...stored, archiveBytes: stored.archiveBytes + 1 }]],
  ])('%s is refused', async (_, change) => {
    const from = folder();
    writeFileSync(join(from, 'file'), 'content '.repeat(10_000));
    const away = transfer(from);
    const stored = await storeDirectory(away);
    const bytes: Buffer[] = [];
    for await (const piece of await bucket.client.get(away.objectKey)) bytes.push(piece);
    const [changed, record] = change(Buffer.concat(bytes), stored);
    await bucket.client.put(away.objectKey, { pieces: [changed] });
    await expect(fetchDirectory({ ...away, path: folder() }, record)).rejects.toThrow(
      'The object in the store is not the one that was stored: its bytes are others.',
    );
  });

  test('an archive that is not ours leaves its directory by no name, link or device', async () => {
    const [outside, from] = [folder(), folder()];
    writeFileSync(join(from, 'file'), 'evil');
    symlinkSync(outside, join(from, 'link'));
    const hostile = join(ground, 'hostile.tar');
    const tar = (...words: string[]) =>
      execFileSync('tar', ['-P', `--file=${hostile}`, `--directory=${from}`, ...words]);
    tar('--create', 'link');
    // The other entries write through the link, above the directory, and at an absolute place.
    for (const name of ['link/through', '../above', `${outside}/absolute`]) {
      tar('--append', `--transform=s,^file$,${name},`, 'file');
    }
    const zstd = execFileSync('zstd', ['--quiet', '--stdout', hostile]);
    const away = transfer(folder());
    await bucket.client.put(away.objectKey, { pieces: [zstd] });
    const sha256 = createHash('sha256').update(zstd).digest('hex');
    const record = { sha256, sizeBytes: zstd.length, archiveBytes: readFileSync(hostile).length };
    await fetchDirectory(away, record).catch(() => undefined);
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(ground)).not.toContain('above');
  });

  test('a missing object is said', async () => {
    const record = { sha256: '', sizeBytes: 1, archiveBytes: 1 };
    await expect(fetchDirectory(transfer(folder()), record)).rejects.toThrow(/not in the store any more/);
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 0xff;
  return changed;
}

/** Each path with all that is to come back. */
function tree(root: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of namesIn(root, '.')) {
    const path = Buffer.from(`${root}/${name}`, 'latin1');
    const { mode, uid, gid, size, mtimeMs, nlink } = lstatSync(path);
    const isFile = (mode & 0o170000) === 0o100000;
    const content = isFile && size < 1e6 ? readFileSync(path, 'latin1') : isFile ? 'large' : '';
    const link = (mode & 0o170000) === 0o120000 ? readlinkSync(path) : '';
    found[name] = { mode, uid, gid, size: isFile ? size : 0, mtimeMs, nlink, content, link };
  }
  return found;
}

/** Of files whose names may be no text. */
function namesIn(root: string, name: string): string[] {
  const path = Buffer.from(`${root}/${name}`, 'latin1');
  if (!lstatSync(path).isDirectory()) return [name];
  const within = readdirSync(path, { encoding: 'buffer' }).map((one) => one.toString('latin1'));
  return [name, ...within.sort().flatMap((one) => namesIn(root, `${name}/${one}`))];
}

function read(path: string, from: number, bytes: number): Buffer {
  const [file, found] = [openSync(path, 'r'), Buffer.alloc(bytes)];
  readSync(file, found, 0, bytes, from);
  closeSync(file);
  return found;
}

function attributesWork(path: string): boolean {
  try {
    execFileSync('python3', ['-c', 'import os,sys; os.setxattr(sys.argv[1], "user.ballast", b"kept")', path], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

function attributeOf(path: string): string {
  return execFileSync('python3', [
    '-c',
    'import os,sys; print(os.getxattr(sys.argv[1], "user.ballast").decode())',
    path,
  ])
    .toString()
    .trim();
}
