import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { squat } from '../../test/attacks/squatter.ts';
import { runningApi } from '../../test/installation/running-api.ts';

let seen: { method: string; url: string; headers: IncomingHttpHeaders; body: string } | undefined;

const directory = mkdtempSync(join(tmpdir(), 'ballast-proxy-'));
const socket = join(directory, 'identity.sock');
const provider = createServer(async (asked, answer) => {
  let body = '';
  for await (const chunk of asked) body += chunk;
  seen = { method: asked.method ?? '', url: asked.url ?? '', headers: asked.headers, body };
  answer.setHeader('set-cookie', ['_ballast_session=1; path=/oidc', '_ballast_session.sig=2; path=/oidc']);
  answer.setHeader('content-security-policy', "script-src 'self'");
  answer.setHeader('location', '/oidc/interaction/1');
  answer.setHeader('keep-alive', 'timeout=1');
  answer.writeHead(303).end('led on');
});
await once(provider.listen(socket), 'listening');
const api = await runningApi({
  env: { BUILT_IN_PROVIDER_SOCKET: socket, PUBLIC_URL: 'https://ballast.example.com' },
});
afterAll(async () => {
  await api.close();
  provider.close();
  provider.closeAllConnections();
  rmSync(directory, { recursive: true });
});

test('what is beneath /oidc goes to the provider as it is, and its answer comes back as it is', async () => {
  const answer = await fetch(`${api.url}/oidc/auth?state=a%20b&x=%2F`, {
    method: 'POST',
    body: new URLSearchParams({ password: 'correct horse' }),
    redirect: 'manual',
  });
  expect(seen).toMatchObject({ method: 'POST', url: '/oidc/auth?state=a%20b&x=%2F', body: 'password=correct+horse' });
  expect(seen?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
  expect(answer.status).toBe(303);
  expect(await answer.text()).toBe('led on');
  expect(answer.headers.get('location')).toBe('/oidc/interaction/1');
  expect(answer.headers.getSetCookie()).toHaveLength(2);
  expect(answer.headers.get('content-security-policy')).toBe("script-src 'self'");
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
});

test('who it comes from and what our address is cannot be made up, and our cookies stay here', async () => {
  await fetch(`${api.url}/oidc/auth`, {
    redirect: 'manual',
    headers: {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': 'evil.example.com',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': '1',
      'x-real-ip': '203.0.113.7',
      forwarded: 'for=203.0.113.7;host=evil.example.com',
      cookie: 'svc_session=secret; _ballast_session=1; svc_oidc=secret; theme=dark',
      origin: 'https://ballast.example.com',
    },
  });
  expect(seen?.headers).toMatchObject({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'ballast.example.com',
    'x-forwarded-proto': 'https',
    cookie: '_ballast_session=1; theme=dark',
    origin: 'https://ballast.example.com',
  });
  for (const name of ['x-forwarded-port', 'x-real-ip', 'forwarded']) expect(seen?.headers).not.toHaveProperty(name);
});

test('headers of one connection are not passed on, nor those that the client calls so', async () => {
  const asked = request(`${api.url}/oidc/auth`, {
    headers: { connection: 'close, x-secret', 'x-secret': '1', te: 'trailers', 'x-other': '2' },
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  expect(seen?.headers).not.toHaveProperty('x-secret');
  expect(seen?.headers).not.toHaveProperty('te');
  expect(seen?.headers['x-other']).toBe('2');
});

test.each([
  ['/oidc', 404],
  ['/OIDC/auth', 404],
  ['/api/v1/oidc/auth', 404],
  // A page of an organization, for somebody who is not signed in.
  ['/oidcx/auth', 303],
])('%s is not beneath it', async (path, status) => {
  seen = undefined;
  expect((await fetch(`${api.url}${path}`, { redirect: 'manual' })).status).toBe(status);
  expect(seen).toBeUndefined();
});

test('a large body is refused', async () => {
  seen = undefined;
  expect((await fetch(`${api.url}/oidc/auth`, { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(413);
  expect(seen).toBeUndefined();
});

test('nothing of the address or the body is in the log', async () => {
  await fetch(`${api.url}/oidc/auth?code=very-secret`, {
    method: 'POST',
    body: 'password=very-secret',
    redirect: 'manual',
  });
  expect(JSON.stringify(api.lines)).not.toContain('very-secret');
  expect(JSON.stringify(api.lines)).toContain('/oidc/*');
});

test('without the provider a browser gets a page and a program a problem, and the API stays ready', async () => {
  provider.close();
  provider.closeAllConnections();
  await once(provider, 'close');
  const asPage = await fetch(`${api.url}/oidc/auth`, { headers: { accept: 'text/html,*/*' } });
  expect(asPage.status).toBe(503);
  expect(asPage.headers.get('content-type')).toMatch(/text\/html/);
  expect(asPage.headers.get('retry-after')).toBe('2');
  expect(await asPage.text()).toContain('try again in a few seconds');
  const asProblem = await api.call('GET', '/oidc/jwks');
  expect(asProblem).toMatchObject({ status: 503, body: { title: 'Service Unavailable' } });
  const { parts } = (await api.call('GET', '/readyz')).body as {
    parts: Record<string, { ready: boolean; detail?: string }>;
  };
  expect(parts.identity).toEqual({ ready: true, detail: expect.stringContaining('nobody can sign in') });
  await once(provider.listen(socket), 'listening');
  expect((await fetch(`${api.url}/oidc/auth`, { redirect: 'manual' })).status).toBe(303);
});

test('there is a limit for an address, and with another provider there is nothing here', async () => {
  const limited = await runningApi({
    env: { BUILT_IN_PROVIDER_SOCKET: socket, RATE_LIMIT_ANONYMOUS_PER_MINUTE: '3' },
  });
  const external = await runningApi({
    env: {
      BUILT_IN_PROVIDER_SOCKET: socket,
      OIDC_ISSUER: 'https://accounts.example.com',
      OIDC_CLIENT_ID: 'ballast',
    },
  });
  try {
    const statuses = [];
    for (let asked = 0; asked < 5; asked += 1) {
      statuses.push((await fetch(`${limited.url}/oidc/auth`, { redirect: 'manual' })).status);
    }
    expect(statuses.at(0)).toBe(303);
    expect(statuses.at(-1)).toBe(429);
    expect((await fetch(`${external.url}/oidc/auth`)).status).toBe(404);
  } finally {
    await limited.close();
    await external.close();
  }
});

test('over TLS nothing is told to a provider whose certificate nobody vouches for', async () => {
  const impostor = await squat(0);
  const remote = await runningApi({
    env: { BUILT_IN_PROVIDER_URL: `https://localhost:${impostor.port}`, PUBLIC_URL: 'https://ballast.example.com' },
  });
  try {
    expect((await fetch(`${remote.url}/oidc/auth`, { method: 'POST', body: 'password=very-secret' })).status).toBe(503);
    expect((await fetch(`${remote.url}/api/v1/auth/start`, { redirect: 'manual' })).status).toBe(503);
    expect(impostor.greeted).toBeGreaterThan(1);
    expect(impostor.heard).toEqual([]);
  } finally {
    await remote.close();
    await impostor.close();
  }
});
