import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { portOf, temporaryFolder } from '../../../machine/test-ground.ts';
import { fileServer } from './file-server.ts';

const directory = temporaryFolder();

async function serve(name: string, files: Record<string, string | Buffer>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name, path)), { recursive: true });
    writeFileSync(join(directory, name, path), content);
  }
  return `http://127.0.0.1:${await portOf(await fileServer(join(directory, name)))}`;
}

const site = await serve('site', {
  'index.html': 'home',
  'about.html': 'about',
  'docs/index.html': 'docs',
  'a.css': 'body {}',
  'packed.js': 'x'.repeat(1_000),
  'packed.js.gz': gzipSync('x'.repeat(1_000)),
  '.env': 'secret',
  'names/a b+č.txt': 'named',
});
symlinkSync('/etc/passwd', join(directory, 'site', 'out'));
const page = await serve('page', { 'index.html': 'application', 'main.js': 'run()' });
const errors = await serve('errors', { 'index.html': 'home', '404.html': 'lost' });

const answer = async (address: string, init: RequestInit = {}) => {
  const got = await fetch(address, { redirect: 'manual', ...init });
  return { status: got.status, body: await got.text(), of: (name: string) => got.headers.get(name) };
};

test.each([
  ['/', 200, 'home'],
  ['/index.html?x=1', 200, 'home'],
  ['/about', 200, 'about'],
  ['/docs/', 200, 'docs'],
  ['/names/a%20b%2B%C4%8D.txt', 200, 'named'],
  ['/missing', 404, 'There is no such page.\n'],
  ['/names/', 404, 'There is no such page.\n'],
  ['/.env', 400, 'The address is not a path of this site.\n'],
  ['/out', 404, 'There is no such page.\n'],
  ['/%00', 400, 'The address is not a path of this site.\n'],
  ['/%2e%2e/%2e%2e/etc/passwd', 404, 'There is no such page.\n'],
])('%s answers %s', async (path, status, body) => {
  expect(await answer(site + path)).toMatchObject({ status, body });
});

test('no spelling leads up or to another host', async () => {
  const { port } = new URL(site);
  for (const path of [
    '/../../etc/passwd',
    '//etc/passwd',
    '/..%2f..%2fetc/passwd',
    '/docs/..\\..',
    'http://x/../etc',
    '//evil.example/..',
  ]) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    const said = await text(socket);
    expect(said).toMatch(/^HTTP\/1\.1 (400|404)/);
  }
  expect((await answer(`${site}/docs?a=1`)).of('location')).toBe('/docs/?a=1');
  expect((await answer(`${site}//docs`)).of('location')).toBe('/docs/');
});

test('an application of one page answers all its paths, but no missing file; a site with 404.html does not', async () => {
  expect(await answer(`${page}/orders/1`)).toMatchObject({ status: 200, body: 'application' });
  expect(await answer(`${page}/gone.js`)).toMatchObject({ status: 404 });
  expect(await answer(`${errors}/orders/1`)).toMatchObject({ status: 404, body: 'lost' });
});

test('types, tags, ranges, HEAD and what is packed already', async () => {
  const css = await answer(`${site}/a.css`);
  expect([css.of('content-type'), css.of('x-content-type-options')]).toEqual(['text/css; charset=utf-8', 'nosniff']);
  const etag = css.of('etag') ?? '';
  expect(await answer(`${site}/a.css`, { headers: { 'if-none-match': `"other", W/${etag}` } })).toMatchObject({
    status: 304,
    body: '',
  });
  const part = await answer(`${site}/a.css`, { headers: { range: 'bytes=1-3' } });
  expect([part.status, part.body, part.of('content-range')]).toEqual([206, 'ody', 'bytes 1-3/7']);
  expect((await answer(`${site}/a.css`, { headers: { range: 'bytes=-2' } })).body).toBe('{}');
  expect((await answer(`${site}/a.css`, { headers: { range: 'bytes=9-' } })).status).toBe(416);
  expect((await answer(`${site}/a.css`, { headers: { range: 'bytes=1-3', 'if-range': '"old"' } })).status).toBe(200);
  const head = await answer(`${site}/a.css`, { method: 'HEAD' });
  expect([head.status, head.body, head.of('content-length')]).toEqual([200, '', '7']);
  const packed = await answer(`${site}/packed.js`, { headers: { 'accept-encoding': 'gzip' } });
  expect([packed.of('content-encoding'), packed.of('vary'), packed.body.length]).toEqual([
    'gzip',
    'accept-encoding',
    1_000,
  ]);
  const not = await answer(`${site}/packed.js`, { headers: { 'accept-encoding': 'gzip;q=0' } });
  expect([not.of('content-encoding'), not.of('vary')]).toEqual([null, 'accept-encoding']);
  expect((await answer(site, { method: 'POST' })).status).toBe(405);
});
