import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { checksumLine, proxyTo, releaseArchive, releaseHost } from '../../test/images/release-host.ts';
import { TemporalSearch } from '../../test/images/temporal-search.ts';
import { temporalVersion } from '../supervisor/versions.ts';
import { officialArchive } from './temporal-archive.ts';

const file = basename(officialArchive());
let search: TemporalSearch;

const [host, github, good] = await Promise.all([
  releaseHost(),
  releaseHost('github.com'),
  releaseArchive(temporalVersion),
]);
setDefaultCACertificates([...getCACertificates('default'), host.ca, github.ca]);
afterAll(() => Promise.all([host, github].map((one) => one.close())));
beforeEach(() => {
  search = new TemporalSearch();
});
afterEach(() => search.close());

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('the archive is downloaded, checked and unpacked once, with a share of it told', async () => {
  const archive = host.release(file, good);
  const { server, sqlTool } = await search.find({ archive });
  expect(readFileSync(server, 'utf8')).toContain(temporalVersion);
  expect(existsSync(sqlTool)).toBe(true);
  expect(readdirSync(join(server, '..')).sort()).toEqual(['temporal-server', 'temporal-sql-tool']);
  expect(search.said.join('\n')).toMatch(/^downloading the Temporal server, \d+ % \(1 MB\)$/m);
  expect(search.said.join('\n')).not.toMatch(/error|fail|ended with code/i);

  const before = host.asked.get(`/v1/${file}`);
  expect((await search.find({ archive })).server).toBe(server);
  expect(host.asked.get(`/v1/${file}`)).toBe(before);
});

test('the official address is asked through the proxy that the environment names', async () => {
  const path = new URL(officialArchive()).pathname;
  github.answer(path, good);
  github.answer(path.replace(file, 'checksums.txt'), checksumLine(file, good));
  const proxy = await proxyTo(github.origin);
  await search.find({ env: { HTTPS_PROXY: proxy.address } });
  proxy.close();
  expect(new Set(proxy.names)).toEqual(new Set(['github.com:443']));
});

test('two starts at once download it once', async () => {
  const own = host.release(`twice-${file}`, good);
  const [one, other] = await Promise.all([search.find({ archive: own }), search.find({ archive: own })]);
  expect(one).toEqual(other);
  expect(host.asked.get(`/v1/twice-${file}`)).toBe(1);
});

test('a redirect to another https address is followed, one to http never', async () => {
  const archive = host.release(`there-${file}`, good, checksumLine(`here-${file}`, good));
  host.answer(`/v1/here-${file}`, (_, response) => response.writeHead(302, { location: archive }).end());
  await search.find({ archive: `${host.origin}/v1/here-${file}` });
  rmSync(join(search.directory, '.cache'), { recursive: true });
  host.answer(`/v1/here-${file}`, (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
  await expect(search.find({ archive: `${host.origin}/v1/here-${file}` })).rejects.toThrow(
    /was to be asked without https/,
  );
  host.answer(`/v1/here-${file}`, (_, response) => response.writeHead(302, { location: '' }).end());
  await expect(search.find({ archive: `${host.origin}/v1/here-${file}` })).rejects.toThrow(/redirects again and again/);
});

test('an archive may be a file; checksums beside it must name it', async () => {
  const archive = join(search.directory, file);
  writeFileSync(archive, good);
  writeFileSync(join(search.directory, 'checksums.txt'), checksumLine(file, Buffer.from('another')));
  await expect(search.find({ archive })).rejects.toThrow(/it does not have the checksum of .+checksums\.txt/);
  writeFileSync(join(search.directory, 'checksums.txt'), checksumLine(file, good));
  expect(readFileSync((await search.find({ archive })).server, 'utf8')).toContain(temporalVersion);
  expect(existsSync(archive)).toBe(true);
  await expect(
    search.find({ archive: join(search.directory, 'none'), env: { HOME: join(search.directory, 'x') } }),
  ).rejects.toThrow(/no such file/);
});

test('an archive whose digest is known here needs no checksums of its host, and they do not help another one', async () => {
  const archive = host.release(file, good, checksumLine('other', good));
  const { server } = await search.find({ archive, known: sha256(good) });
  expect(readFileSync(server, 'utf8')).toContain(temporalVersion);
  rmSync(join(search.directory, '.cache'), { recursive: true });

  const swapped = host.release(
    file,
    await releaseArchive(temporalVersion, ['temporal-server', 'temporal-sql-tool', 'x']),
  );
  await expect(search.find({ archive: swapped, known: sha256(good) })).rejects.toThrow(
    /is not the archive of \S+ that is known here/,
  );
  expect(search.kept()).toEqual([]);
});

test('a digest of one’s own goes before all others, for an address and for a file', async () => {
  const archive = host.release(file, good, checksumLine('other', good));
  await search.find({ archive: `${archive}#sha256=${sha256(good)}`, known: '0'.repeat(64) });
  rmSync(join(search.directory, '.cache'), { recursive: true });

  const there = join(search.directory, file);
  writeFileSync(there, good);
  writeFileSync(join(search.directory, 'checksums.txt'), checksumLine(file, Buffer.from('another')));
  await expect(search.find({ archive: `${there}#sha256=${'0'.repeat(64)}` })).rejects.toThrow(
    /it does not have the checksum that was set/,
  );
  expect(search.kept()).toEqual([]);
  await search.find({ archive: `${there}#sha256=${sha256(good)}` });
});

test('entries of an archive are written where they belong, wherever they say', async () => {
  const hostile = pack();
  hostile.entry({ name: '../../evil', mode: 0o755 }, 'evil');
  hostile.entry({ name: 'temporal-sql-tool', type: 'symlink', linkname: '/etc/passwd' });
  hostile.entry({ name: '../../../temporal-server', mode: 0o755 }, `#!/bin/sh\necho ${temporalVersion}\n`);
  hostile.entry({ name: '/tmp/temporal-sql-tool' }, 'tool');
  hostile.entry({ name: 'temporal-server' }, 'a second one');
  hostile.finalize();
  const archive = host.release(file, gzipSync(await buffer(hostile)));
  const { server, sqlTool } = await search.find({ archive });
  expect(readFileSync(sqlTool, 'utf8')).toBe('tool');
  expect(readFileSync(server, 'utf8')).toContain(temporalVersion);
  expect(readdirSync(join(server, '..')).sort()).toEqual(['temporal-server', 'temporal-sql-tool']);
  expect(readdirSync(search.directory)).toEqual(['.cache']);
});
