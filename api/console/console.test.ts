import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { Organization } from '../../test/api/client.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import { ConsoleFiles } from './console-files.ts';

const script = 'console.log("Ballast");'.repeat(50);
const consoleFiles = new ConsoleFiles();
let ours: Organization;

const directory = await mkdtemp(join(tmpdir(), 'ballast-console-'));
await mkdir(join(directory, 'files'));
await writeFile(join(directory, 'index.html'), '<!doctype html><title>Console</title>');
await writeFile(join(directory, 'theme.js'), '1;');
await writeFile(join(directory, 'files', 'main-Ab12.js'), script);
await writeFile(join(directory, 'files', 'main-Ab12.js.br'), brotliCompressSync(script));
await writeFile(join(directory, 'files', 'main-Ab12.js.gz'), gzipSync(script));
await writeFile(join(directory, 'files', 'main-Ab12.js.map'), '{}');
const api = await runningApi({ consoleFiles });
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

/** As it is written: `fetch` would tidy the path, and unpack what comes. */
async function raw(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage & { bytes: Buffer }> {
  const { hostname, port } = new URL(api.url);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ hostname, port, path, headers }, resolve).on('error', reject);
  });
  return Object.assign(answer, { bytes: await buffer(answer) });
}

const signedIn = () => ({
  cookie: `svc_session=${'session' in ours.sessions.viewer ? ours.sessions.viewer.session : ''}`,
});

describe('its pages', () => {
  test('without an owner, the first page says how one becomes it', async () => {
    const first = await raw('/');
    expect([first.statusCode, first.bytes.toString()]).toEqual([200, expect.stringContaining('has no owner yet')]);
    ours = await api.organization();
  });

  test('lead whoever is not signed in to where people come in, and back from there', async () => {
    const leads = async (path: string, headers = {}) => {
      const { statusCode, headers: answered } = await raw(path, headers);
      return [statusCode, answered.location];
    };
    expect(await leads('/')).toEqual([303, '/sign-in']);
    expect(await leads('/', { cookie: 'svc_session=x' })).toEqual([303, '/sign-in']);
    expect(await leads('/acme/teams?make=true&x=%26')).toEqual([
      303,
      `/sign-in?return_to=${encodeURIComponent('/acme/teams?make=true&x=%26')}`,
    ]);
    for (const path of ['/account', '/new-organization', '/deleted-organizations']) {
      expect(await leads(path)).toEqual([303, `/sign-in?return_to=${encodeURIComponent(path)}`]);
    }
  });

  test('are found under their addresses of earlier versions', async () => {
    const { statusCode, headers } = await raw('/o/acme/operations/7?raw=true', signedIn());
    expect([statusCode, headers.location]).toEqual([303, '/acme/workflows/7?raw=true']);
    expect((await raw('/o//evil.example', signedIn())).headers.location).toBe('/evil.example');
  });

  test('are not at every address: a browser is told so in a page with a way back, a program by a problem', async () => {
    for (const path of ['/Nowhere', '/a_b/c', '/docs/nothing']) {
      const { statusCode, headers, bytes } = await raw(path, { accept: 'text/html,*/*;q=0.8' });
      expect([path, statusCode, headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(bytes.toString()).toContain('<a class="button" href="/">Go to the first page</a>');
      expect((await raw(path)).headers['content-type']).toBe('application/problem+json');
    }
    for (const path of ['/api/v1/nowhere', '/agent/v1/nowhere', '/console/nothing.js']) {
      const { statusCode, headers } = await raw(path, { accept: 'text/html' });
      expect([path, statusCode, headers['content-type']]).toEqual([path, 404, 'application/problem+json']);
    }
  });

  test('leave the addresses of the control plane alone', async () => {
    for (const path of ['/api', '/api/v2', '/trpc', '/metrics/x', '/oidc']) {
      const answer = await raw(path, { ...signedIn(), accept: 'text/html' });
      expect([path, answer.bytes.includes('Console')]).toEqual([path, false]);
    }
    for (const slug of ['docs', 'sign-in', 'new-organization']) {
      const body = { name: 'Reserved', slug };
      const refused = await ours.sessions.owner.post('/organizations', body);
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [expect.objectContaining({ location: 'body.slug' })],
      ]);
    }
  });

  test('while it is being built, say so and try again by themselves', async () => {
    const early = await raw('/acme', signedIn());
    expect([early.statusCode, early.bytes.toString()]).toEqual([503, expect.stringContaining('is being built')]);
    expect(early.bytes.toString()).toContain('http-equiv="refresh" content="1"');
    expect((await raw('/console/files/main-Ab12.js')).statusCode).toBe(404);
    consoleFiles.load(directory);
  });

  test('are one document, under a strict policy, that nobody keeps', async () => {
    for (const path of ['/', '/acme/clusters/x', '/account']) {
      const page = await raw(path, signedIn());
      expect([page.statusCode, page.bytes.toString()]).toEqual([200, '<!doctype html><title>Console</title>']);
      expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
      const policy = String(page.headers['content-security-policy']).split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self'",
          "base-uri 'none'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
        ]),
      );
      expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    }
  });
});

describe('its files', () => {
  const file = '/console/files/main-Ab12.js';

  test.each([
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['BR;q=1', 'br'],
    ['br;q=0.5, gzip', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000 ,gzip ; q=0.001', 'gzip'],
    ['gzip;q=1.0', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0', undefined],
    ['identity', undefined],
    ['brotli, xgzip', undefined],
    ['', undefined],
  ])('for "%s" are sent as %s', async (accepted, encoding) => {
    const answer = await raw(file, { 'accept-encoding': accepted });
    expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, encoding]);
    const { bytes } = answer;
    const text = encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;
    expect(text.toString()).toBe(script);
    expect(answer.headers).toMatchObject({
      vary: 'accept-encoding',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  test('are kept for ever only if their content is in their name', async () => {
    expect((await raw(file)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await raw('/console/theme.js')).headers['cache-control']).toBe('public, max-age=300');
  });

  test.each([
    '/console/index.html',
    '/console/files',
    '/console/files/',
    '/console/files/main-Ab12.js.br',
    '/console/files/main-Ab12.js.map',
    '/console/files/main-Cd34.js',
    '/console/../package.json',
    '/console/files/../../../../../../etc/passwd',
    '/console/%2e%2e%2fpackage.json',
    '/console/..%5cpackage.json',
    '/console//etc/passwd',
    '/console/__proto__',
    '/console/theme.js%00',
  ])('%s is none of them', async (path) => {
    expect((await raw(path)).statusCode).toBeGreaterThanOrEqual(400);
    expect((await raw(path)).statusCode).toBeLessThan(500);
  });
});
