import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import type { SourceFile } from '../../domain/builds/source-file.ts';
import { blobOf } from '../../test/registry/registry-client.ts';
import { type RegistryWorld, registryWorld, tokenOf } from '../../test/registry/registry-world.ts';
import { seedAgent, seedBuild } from '../../test/registry/seed-build.ts';
import { type SeededRepository, seedRepository } from '../../test/registry/seed-repository.ts';
import { testInAll } from '../../test/run/matrix.ts';
import { Progress } from '../engine/progress.ts';
import { Rest } from '../engine/rest.ts';
import { partBytes } from './push-blobs.ts';
import { type Uploading, uploadFolder } from './upload-folder.ts';

let world: RegistryWorld;
let directory: string;
let folder: string;
let repository: SeededRepository;
let tokenFile: string;

beforeAll(async () => {
  world = await registryWorld();
  directory = mkdtempSync(join(tmpdir(), 'ballast-upload-'));
  tokenFile = join(directory, 'token');
  writeFileSync(tokenFile, tokenOf(world.organization.tokens.deployer), { mode: 0o600 });
});

beforeEach(async () => {
  folder = mkdtempSync(join(directory, 'folder-'));
  repository = await seedRepository(world.api.database, world.organization);
});

afterAll(async () => {
  await world.close();
  rmSync(directory, { recursive: true });
});

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

async function upload(more: Uploading = {}, url = world.api.url) {
  const [, project = '', service = ''] = repository.path.split('/');
  const rest = new Rest({ url, 'token-file': tokenFile });
  const here = { rest, organization: { slug: world.organization.slug } as never };
  return await uploadFolder(
    here,
    { project: { slug: project }, service: { id: repository.serviceId, slug: service } },
    folder,
    more,
  );
}

async function manifestOf(sourceId: string): Promise<SourceFile[]> {
  const own = tenant(world.api.database.kysely, repository.organizationId);
  const row = await own.selectFrom('build_source').select('files').where('id', '=', sourceId).executeTakeFirstOrThrow();
  return row.files as unknown as SourceFile[];
}

/** The paths that the agent unpacks, and the digest of what is in each. */
async function builtOf(sourceId: string): Promise<Map<string, string>> {
  const { clusterId, secret } = await seedAgent(world.api, world.organization);
  const id = await seedBuild(world.api.database, repository, { clusterId, sourceId });
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await fetch(`${world.api.url}/agent/v1/builds/${id}/source`, { headers });
  expect(answer.status).toBe(200);
  const reader = extract();
  Readable.fromWeb(answer.body as never).pipe(reader as unknown as NodeJS.WritableStream);
  const found = new Map<string, string>();
  for await (const entry of reader) {
    const hash = createHash('sha256');
    for await (const piece of entry) hash.update(piece as Buffer);
    found.set(entry.header.name, `sha256:${hash.digest('hex')}`);
  }
  return found;
}

/** A control plane behind something that answers by itself where it says so; tells what was asked, with the length of each body. */
async function front(answers: (method: string, url: string) => number | undefined) {
  const asked: [request: string, bytes: number][] = [];
  const server = createServer((incoming, answer) => {
    const { method = '', url = '', headers } = incoming;
    asked.push([`${method} ${url}`, Number(headers['content-length'] ?? 0)]);
    const own = answers(method, url);
    if (own === 0) return void incoming.once('data', () => incoming.socket.destroy());
    if (own !== undefined) {
      incoming.resume();
      const code = own === 405 ? 'UNSUPPORTED' : 'TOOMANYREQUESTS';
      answer.writeHead(own, { 'content-type': 'application/json', 'retry-after': '0' });
      return void answer.end(JSON.stringify({ errors: [{ code, message: 'There is nothing at this path.' }] }));
    }
    const onward = request(`${world.api.url}${url}`, { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 0, given.headers);
      given.pipe(answer);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

test('a folder is uploaded but for what is ignored, and the second time only what has changed', async () => {
  write('package.json', '{}');
  write('run', '#!/bin/sh');
  chmodSync(join(folder, 'run'), 0o755);
  write('src/a\nb.js', 'one');
  write('src/same.js', 'one');
  write('src/empty', '');
  symlinkSync('../run', join(folder, 'src/link'));
  write('.gitignore', '*.log\n.env\n');
  write('.dockerignore', 'docs\n');
  for (const path of [
    'a.log',
    '.env',
    'docs/x',
    'node_modules/x/index.js',
    'src/node_modules/y',
    '.git/HEAD',
    '.ballast/project',
    '.image/index.json',
  ])
    write(path, 'never');
  const first = await upload();
  expect(first).toMatchObject({ files: 8, sentBytes: 2 + 9 + 3 + 6 + 11 + 5 });
  expect((await manifestOf(first.sourceId)).map(({ path, kind }) => [path, kind])).toEqual([
    ['.dockerignore', 'file'],
    ['.gitignore', 'file'],
    ['package.json', 'file'],
    ['run', 'executable'],
    ['src/a\nb.js', 'file'],
    ['src/empty', 'file'],
    ['src/link', 'link'],
    ['src/same.js', 'file'],
  ]);
  expect(await upload()).toEqual({ ...first, sentBytes: 0 });
  write('src/same.js', 'other!!');
  const second = await upload();
  expect(second).toMatchObject({ files: 8, sentBytes: 7 });
  expect((await builtOf(second.sourceId)).get('src/same.js')).toBe(blobOf('other!!').digest);
});

test('a large file goes in parts of 8 MB, and on from where a connection broke, and arrives whole', async () => {
  const large = randomBytes(partBytes * 2 + 12_345);
  write('large', large);
  write('small', 'small');
  let patches = 0;
  const before = await front((method) => {
    if (method === 'PATCH') patches += 1;
    return method === 'PATCH' && patches === 2 ? 0 : undefined;
  });
  const { sourceId, sentBytes } = await upload({}, before.url);
  await before.close();
  expect(sentBytes).toBe(large.length + 5);
  const parts = before.asked.filter(([asked]) => asked.startsWith('PATCH')).map(([, bytes]) => bytes);
  expect(parts).toEqual([partBytes, partBytes, partBytes, 12_345]);
  expect((await builtOf(sourceId)).get('large')).toBe(blobOf(large).digest);
});

test('what cannot be sent is told by its path', async () => {
  write('a', 'a');
  symlinkSync('/etc/passwd', join(folder, 'stray'));
  await expect(upload()).rejects.toThrow('stray is a link out of the folder (to /etc/passwd)');
  write('.gitignore', 'stray\n');
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x62])]), '');
  await expect(upload()).rejects.toThrow(/The name of .*b is no UTF-8; rename it/);
  write('.gitignore', 'stray\n*b\n');
  expect(await upload()).toMatchObject({ files: 2 });
  rmSync(folder, { recursive: true });
  await expect(upload()).rejects.toThrow('is no folder');
  mkdirSync(folder);
  await expect(upload()).rejects.toThrow('has no file');
});

test('a file that changes while it is uploaded is named, and nothing wrong arrives', async () => {
  write('log', 'before');
  const late = {
    running: (_: string, text: string) => {
      if (text.includes('compared')) writeFileSync(join(folder, 'log'), 'after!');
    },
    done: () => undefined,
  };
  await expect(upload({ progress: late as never })).rejects.toThrow(
    'log changed while it was uploaded; run the command again.',
  );
  const longer = {
    ...late,
    running: (_: string, text: string) => {
      if (text.includes('compared')) appendFileSync(join(folder, 'log'), ' and more');
    },
  };
  await expect(upload({ progress: longer as never })).rejects.toThrow('log changed while it was uploaded');
  expect(await upload()).toMatchObject({ sentBytes: 15 });
});

test('Ctrl-C says what is left, and the same again sends only that', async () => {
  // In packs of 4 MB, four at once: 13 files each, and those of the last packs are still to come.
  for (let at = 0; at < 120; at += 1) write(`f${at}`, randomBytes(300_000));
  const stop = new AbortController();
  let left = '';
  const leaves = (what: string) => {
    left = what;
    if (/^(?:107|9\d|8\d) files of 120/.test(what)) stop.abort();
  };
  await expect(upload({ signal: stop.signal, leaves })).rejects.toThrow(/abort/i);
  expect(left).toMatch(/^(?:107|\d\d) files of 120 are left to upload; the same command goes on there\.$/);
  const again = await upload({ leaves });
  expect(again.files).toBe(120);
  expect(again.sentBytes).toBeLessThanOrEqual(107 * 300_000);
  expect(left).toBe('The folder was uploaded; nothing was built of it.');
});

test('small files go in packs of at most 8 MB, and again where a connection broke or there were too many', async () => {
  for (let at = 0; at < 2_500; at += 1) write(`d${at % 10}/f${at}`, `content ${at}`);
  for (let at = 0; at < 10; at += 1) write(`m${at}`, randomBytes(1_000_000));
  write('large', randomBytes(1_500_000));
  let packs = 0;
  const before = await front((_, url) => {
    if (!url.includes('/packs/')) return undefined;
    packs += 1;
    return packs === 3 ? 0 : packs === 4 ? 429 : undefined;
  });
  const { sourceId, files, sentBytes } = await upload({}, before.url);
  await before.close();
  expect(files).toBe(2_511);
  expect(sentBytes).toBeGreaterThan(11_500_000);
  const sent = before.asked.filter(([asked]) => asked.includes('/v2/'));
  expect(sent.length).toBeLessThan(12);
  for (const [, bytes] of sent) expect(bytes).toBeLessThanOrEqual(partBytes);
  const built = await builtOf(sourceId);
  expect([built.size, built.get('d7/f77')]).toEqual([2_511, blobOf('content 77').digest]);
});

test('an older control plane, which has no packs, gets each file by itself', async () => {
  for (let at = 0; at < 20; at += 1) write(`f${at}`, `of an older one ${at}`);
  const older = await front((_, url) => (url.includes('/packs/') ? 405 : undefined));
  const { sourceId, files } = await upload({}, older.url);
  await older.close();
  expect(files).toBe(20);
  expect(older.asked.filter(([asked]) => /POST .*\/blobs\/uploads\/\?digest=/.test(asked)).length).toBe(20);
  expect((await builtOf(sourceId)).size).toBe(20);
});

test('its progress is told where one is given', async () => {
  write('a', 'a');
  const written: string[] = [];
  const progress = new Progress({ write: (text) => written.push(text) > 0 });
  await upload({ progress });
  progress.end();
  const lines = written
    .join('')
    .replace(/\(.*?\)/g, '')
    .split('\n');
  expect(lines.map((line) => line.trim()).filter(Boolean)).toEqual([
    '✓ the folder is read: 1 file, 0.0 MB',
    '✓ the folder is uploaded: 1 file, 0.0 MB',
  ]);
});

testInAll('20,000 files and one of 300 MB are uploaded; of one that changed, one blob is sent', async () => {
  for (let at = 0; at < 20_000 - 1; at += 1) write(`d${at % 100}/f${at}`, `content of ${at}`);
  const piece = randomBytes(1_000_000);
  for (let at = 0; at < 300; at += 1) appendFileSync(join(folder, 'large'), piece);
  const times: string[] = [];
  const timed = async () => {
    const began = performance.now();
    const uploaded = await upload();
    times.push(`${((performance.now() - began) / 1000).toFixed(1)} s`);
    return uploaded;
  };
  const first = await timed();
  expect(first.files).toBe(20_000);
  expect(first.sentBytes).toBeGreaterThan(300_000_000);
  write('d7/f7', 'changed!');
  const second = await timed();
  expect(second.sentBytes).toBe(8);
  const began = performance.now();
  const built = await builtOf(second.sourceId);
  times.push(`${((performance.now() - began) / 1000).toFixed(1)} s`);
  expect([built.size, built.get('d7/f7')]).toEqual([20_000, blobOf('changed!').digest]);
  process.stdout.write(`First upload, second, tar: ${times.join(', ')}\n`);
});
