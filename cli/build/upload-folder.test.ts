import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { UploadGround } from '../../test/builds/upload-ground.ts';
import { blobOf } from '../../test/registry/registry-client.ts';
import { Progress } from '../engine/progress.ts';
import { partBytes } from './push-blobs.ts';

const ground = await UploadGround.open();
beforeEach(() => ground.anew());
afterAll(() => ground.close());

/** A control plane behind a proxy that answers by itself where it says so; tells what was asked, with the length of each body. */
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
    // Whether its client keeps its connection is no matter of the one behind it.
    const onward = request(`${ground.world.api.url}${url}`, {
      method,
      headers: { ...headers, connection: 'keep-alive' },
    });
    onward.once('response', (given) => {
      answer.writeHead(given.statusCode ?? 0, given.headers);
      given.pipe(answer);
    });
    onward.once('error', () => answer.writeHead(502).end());
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
  ground.write('package.json', '{}');
  ground.write('run', '#!/bin/sh');
  chmodSync(join(ground.folder, 'run'), 0o755);
  ground.write('src/a\nb.js', 'one');
  ground.write('src/same.js', 'one');
  ground.write('src/empty', '');
  symlinkSync('../run', join(ground.folder, 'src/link'));
  ground.write('.gitignore', '*.log\n.env\n');
  ground.write('.dockerignore', 'docs\n');
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
    ground.write(path, 'never');
  const first = await ground.upload();
  expect(first).toMatchObject({ files: 8, sentBytes: 2 + 9 + 3 + 6 + 11 + 5 });
  expect((await ground.manifestOf(first.sourceId)).map(({ path, kind }) => [path, kind])).toEqual([
    ['.dockerignore', 'file'],
    ['.gitignore', 'file'],
    ['package.json', 'file'],
    ['run', 'executable'],
    ['src/a\nb.js', 'file'],
    ['src/empty', 'file'],
    ['src/link', 'link'],
    ['src/same.js', 'file'],
  ]);
  expect(await ground.upload()).toEqual({ ...first, sentBytes: 0 });
  ground.write('src/same.js', 'other!!');
  const second = await ground.upload();
  expect(second).toMatchObject({ files: 8, sentBytes: 7 });
  expect((await ground.builtOf(second.sourceId)).get('src/same.js')).toBe(blobOf('other!!').digest);
});

test('a large file goes in parts of 8 MB, and on from where a connection broke, and arrives whole', async () => {
  const large = randomBytes(partBytes + 12_345);
  ground.write('large', large);
  ground.write('small', 'small');
  let patches = 0;
  const before = await front((method) => {
    if (method === 'PATCH') patches += 1;
    return method === 'PATCH' && patches === 2 ? 0 : undefined;
  });
  const { sourceId, sentBytes } = await ground.upload({}, before.url);
  await before.close();
  expect(sentBytes).toBe(large.length + 5);
  const parts = before.asked.filter(([asked]) => asked.startsWith('PATCH')).map(([, bytes]) => bytes);
  expect(parts).toEqual([partBytes, 12_345, 12_345]);
  expect((await ground.builtOf(sourceId)).get('large')).toBe(blobOf(large).digest);
});

test('what cannot be sent is told by its path', async () => {
  ground.write('a', 'a');
  symlinkSync('/etc/passwd', join(ground.folder, 'stray'));
  await expect(ground.upload()).rejects.toThrow('stray is a link out of the folder (to /etc/passwd)');
  ground.write('.gitignore', 'stray\n');
  writeFileSync(Buffer.concat([Buffer.from(`${ground.folder}/`), Buffer.from([0xff, 0x62])]), '');
  await expect(ground.upload()).rejects.toThrow(/The name of .*b is no UTF-8; rename it/);
  ground.write('.gitignore', 'stray\n*b\n');
  expect(await ground.upload()).toMatchObject({ files: 2 });
  rmSync(ground.folder, { recursive: true });
  await expect(ground.upload()).rejects.toThrow('is no folder');
  mkdirSync(ground.folder);
  await expect(ground.upload()).rejects.toThrow('has no file');
});

test('a file that changes while it is uploaded is named, and nothing wrong arrives', async () => {
  ground.write('log', 'before');
  const late = {
    running: (_: string, text: string) => {
      if (text.includes('compared')) writeFileSync(join(ground.folder, 'log'), 'after!');
    },
    done: () => undefined,
  };
  await expect(ground.upload({ progress: late as never })).rejects.toThrow(
    'log changed while it was uploaded; run the command again.',
  );
  const longer = {
    ...late,
    running: (_: string, text: string) => {
      if (text.includes('compared')) appendFileSync(join(ground.folder, 'log'), ' and more');
    },
  };
  await expect(ground.upload({ progress: longer as never })).rejects.toThrow('log changed while it was uploaded');
  expect(await ground.upload()).toMatchObject({ sentBytes: 15 });
});

test('Ctrl-C says what is left, and the same again sends only that', async () => {
  // In packs of 4 MB, four at once: 13 files each, and those of the last pack are still to come.
  for (let at = 0; at < 60; at += 1) ground.write(`f${at}`, randomBytes(300_000));
  const stop = new AbortController();
  let left = '';
  const leaves = (what: string) => {
    left = what;
    if (/^(?:47|3\d|2\d) files of 60/.test(what)) stop.abort();
  };
  await expect(ground.upload({ signal: stop.signal, leaves })).rejects.toThrow(/abort/i);
  expect(left).toMatch(/^\d\d files of 60 are left to upload; the same command goes on there\.$/);
  const again = await ground.upload({ leaves });
  expect(again.files).toBe(60);
  expect(again.sentBytes).toBeLessThanOrEqual(47 * 300_000);
  expect(left).toBe('The folder was uploaded; nothing was built of it.');
});

test('small files go in packs of at most 8 MB, and again where a connection broke or there were too many', async () => {
  for (let at = 0; at < 250; at += 1) ground.write(`d${at % 10}/f${at}`, `content ${at}`);
  for (let at = 0; at < 5; at += 1) ground.write(`m${at}`, randomBytes(1_000_000));
  ground.write('large', randomBytes(1_500_000));
  let packs = 0;
  const before = await front((_, url) => {
    if (!url.includes('/packs/')) return undefined;
    // The first one only asks whether packs are taken.
    packs += 1;
    return packs === 2 ? 0 : packs === 3 ? 429 : undefined;
  });
  const { sourceId, files, sentBytes } = await ground.upload({}, before.url);
  await before.close();
  expect(files).toBe(256);
  expect(sentBytes).toBeGreaterThan(6_500_000);
  const sent = before.asked.filter(([asked]) => asked.includes('/v2/'));
  expect(sent.length).toBeLessThan(12);
  for (const [, bytes] of sent) expect(bytes).toBeLessThanOrEqual(partBytes);
  const built = await ground.builtOf(sourceId);
  expect([built.size, built.get('d7/f77')]).toEqual([256, blobOf('content 77').digest]);
});

test('an older control plane, which has no packs, gets each file by itself', async () => {
  for (let at = 0; at < 20; at += 1) ground.write(`f${at}`, `of an older one ${at}`);
  const older = await front((_, url) => (url.includes('/packs/') ? 405 : undefined));
  const { sourceId, files } = await ground.upload({}, older.url);
  await older.close();
  expect(files).toBe(20);
  expect(older.asked.filter(([asked]) => /POST .*\/blobs\/uploads\/\?digest=/.test(asked)).length).toBe(20);
  expect((await ground.builtOf(sourceId)).size).toBe(20);
});

test('its progress is told where one is given', async () => {
  ground.write('a', 'a');
  const written: string[] = [];
  const progress = new Progress({ write: (text) => written.push(text) > 0 });
  await ground.upload({ progress });
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
