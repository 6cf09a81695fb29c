import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import {
  type ClientHttp2Session,
  connect,
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
} from 'node:http2';
import { connect as connectTcp, type Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { request } from 'undici';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { portOf, temporaryFolder } from '../../machine/test-ground.ts';
import { freePort } from '../../test/ground/free-port.ts';
import { until } from '../../test/ground/until.ts';
import { FrontDoor } from './front-door.ts';
import { AccessLog, TrafficCounts } from './requests/access-log.ts';
import { ClientLimits, usualLimits } from './requests/client-limits.ts';
import type { RouteUpstream } from './route.ts';
import { RoutingTable } from './routing-table.ts';
import { trustedProxies } from './trusted-proxies.ts';

const directory = temporaryFolder();
const table = new RoutingTable();
const traffic = new TrafficCounts();
const log = new AccessLog(join(directory, 'access.log'));
const door = new FrontDoor({
  table,
  log,
  traffic,
  trusts: trustedProxies(['192.0.2.0/24']),
  limits: new ClientLimits(usualLimits),
});
const at = (instance: string, where: number, protocol: 'http1' | 'h2c' = 'http1'): RouteUpstream => ({
  instance,
  host: '127.0.0.1',
  port: where,
  protocol,
});

function echo(): Server {
  const server = createServer(async (asked: IncomingMessage, answer) => {
    if (asked.url === '/cookies') answer.setHeader('Set-Cookie', ['svc_session=x', 'mine=1', '=svc_oidc=y']);
    if (asked.url === '/broken') {
      answer.write('half');
      setTimeout(() => answer.destroy(), 20);
      return;
    }
    if (asked.url === '/trailers') {
      answer.writeHead(200, { Trailer: 'x-sum' });
      answer.write('body');
      answer.addTrailers({ 'x-sum': '4' });
      answer.end();
      return;
    }
    if (asked.url === '/large') {
      for (let piece = 0; piece < 320 && !answer.destroyed; piece += 1) {
        if (!answer.write(Buffer.alloc(65_536))) await once(answer, 'drain').catch(() => undefined);
      }
      answer.end();
      return;
    }
    const body = await buffer(asked);
    answer.end(JSON.stringify({ url: asked.url, method: asked.method, headers: asked.headers, size: body.length }));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (asked, socket, head) => {
    if (asked.url === '/no') socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno');
    else sockets.handleUpgrade(asked, socket, head, (open) => open.on('message', (data) => open.send(data)));
  });
  return server;
}

const port = await portOf(door.server);
const base = `http://127.0.0.1:${port}`;
const application = at('web-1', await portOf(echo()));
const dead = at('web-2', await freePort());
const rpc = createHttp2Server();
rpc.on('stream', async (stream, headers) => {
  if (headers[':path'] === '/refused') {
    return stream.respond({ ':status': 200, 'grpc-status': '12' }, { endStream: true });
  }
  const body = await buffer(stream);
  stream.respond({ ':status': 200, 'x-te': String(headers.te) }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(body);
});
const grpc = at('rpc-1', await portOf(rpc as unknown as NetServer), 'h2c');
beforeEach(() => {
  table.apply([
    { host: 'app.localhost', upstreams: [application] },
    { host: 'none.localhost', upstreams: [] },
    { host: 'dead.localhost', upstreams: [dead] },
    { host: 'rpc.localhost', upstreams: [grpc] },
  ]);
});
afterAll(() => {
  table.apply([]);
  door.cut();
  log.close();
});

const ask = (host: string, path = '/', options: Parameters<typeof request>[1] = {}) =>
  request(`${base}${path}`, { ...options, headers: { host, ...(options?.headers as Record<string, string>) } });

interface Echo {
  headers: Record<string, string>;
  size: number;
  url: string;
}

test.each([
  ['app.localhost', 200],
  ['APP.localhost.:8089', 200],
  ['other.localhost', 404],
  ['none.localhost', 503],
  ['dead.localhost', 502],
  ['bad host/', 400],
])('%s is answered with %i', async (host, status) => {
  const answer = await ask(host);
  await answer.body.dump();
  expect(answer.statusCode).toBe(status);
  if (status === 503) expect(answer.headers['retry-after']).toBe('2');
});

test('an instance is told by the ingress alone who asks, and never sees our cookies', async () => {
  const answer = await ask('app.localhost', '/cookies', {
    headers: {
      'x-forwarded-for': '6.6.6.6',
      X_Forwarded_For: '6.6.6.6',
      forwarded: 'for=6.6.6.6',
      'x-forwarded-proto': 'https',
      cookie: 'a=1; svc_session=secret; svc_oidc=secret; b=2',
      'proxy-authorization': 'Basic eDp5',
      te: 'trailers',
    },
  });
  const { headers } = (await answer.body.json()) as Echo;
  expect(headers).toMatchObject({
    host: 'app.localhost',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'app.localhost',
    cookie: 'a=1; b=2',
  });
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  for (const name of ['forwarded', 'x_forwarded_for', 'proxy-authorization', 'te']) {
    expect(headers).not.toHaveProperty(name);
  }
  expect(answer.headers['set-cookie']).toBe('mine=1');
});

test.each([
  ['both lengths', 'Host: app.localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
  ['two hosts', 'Host: app.localhost\r\nHost: none.localhost\r\n', ''],
  ['the same host twice', 'Host: app.localhost\r\nHost: app.localhost\r\n', ''],
  ['two lengths', 'Host: app.localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n', 'abcd'],
  ['an odd coding', 'Host: app.localhost\r\nTransfer-Encoding: xchunked\r\n', '0\r\n\r\n'],
  ['a space before the colon', 'Host: app.localhost\r\nContent-Length : 3\r\n', 'abc'],
  ['no host', '', ''],
])('a request with %s is refused', async (_, headers, body) => {
  const socket = connectTcp(port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\n${headers}Connection: close\r\n\r\n${body}`);
  expect((await text(socket)).split('\r\n')[0]).toMatch(/^HTTP\/1\.1 400/);
});

test('headers that do not end are refused', async () => {
  const answer = await ask('app.localhost', '/', { headers: { large: 'x'.repeat(40_000) } });
  await answer.body.dump();
  expect(answer.statusCode).toBe(431);
});

test('an answer that breaks off is seen to break off', async () => {
  const answer = await ask('app.localhost', '/broken');
  await expect(answer.body.text()).rejects.toThrow();
});

test('large bodies go both ways, and a client that does not read holds the instance back', async () => {
  const sent = await ask('app.localhost', '/', { method: 'PUT', body: Buffer.alloc(20_000_000) });
  expect(await sent.body.json()).toMatchObject({ size: 20_000_000 });
  const before = process.memoryUsage().arrayBuffers;
  const answer = await ask('app.localhost', '/large');
  await until('under way', async () => table.inFlight()[`127.0.0.1:${application.port}`] === 1);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
  expect((await answer.body.arrayBuffer()).byteLength).toBe(320 * 65_536);
});

test('a WebSocket counts as under way and stays when its instance gets no more requests', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: 'app.localhost' } });
  await once(socket, 'open');
  table.apply([{ host: 'app.localhost', upstreams: [] }]);
  const answer = await ask('app.localhost');
  await answer.body.dump();
  expect(answer.statusCode).toBe(503);
  expect(table.inFlight()).toEqual({ [`127.0.0.1:${application.port}`]: 1 });
  socket.send('hello');
  expect(String((await once(socket, 'message'))[0])).toBe('hello');
  socket.close();
  await until('it is over', async () => Object.keys(table.inFlight()).length === 0);
});

test.each([
  ['app.localhost', '/no', '401'],
  ['other.localhost', '/', '404'],
  ['dead.localhost', '/', '502'],
])('a WebSocket that %s%s refuses gets %s', async (host, path, status) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { host } });
  const [error] = await once(socket, 'error').catch((reason) => [reason]);
  expect(String(error)).toContain(status);
});

async function over2(
  session: ClientHttp2Session,
  host: string,
  path: string,
  body?: string,
): Promise<{ headers: IncomingHttpHeaders; trailers: IncomingHttpHeaders; body: string; flags: number }> {
  const stream = session.request({
    ':authority': host,
    ':path': path,
    ':method': body ? 'POST' : 'GET',
    te: 'trailers',
  });
  let trailers: IncomingHttpHeaders = {};
  stream.on('trailers', (received) => {
    trailers = received;
  });
  stream.end(body);
  const [headers, flags] = await once(stream, 'response');
  return { headers, flags, body: await text(stream), trailers };
}

test('HTTP/2 comes in on the same port and reaches instances of both kinds, with trailers', async () => {
  const session = connect(base);
  try {
    const plain = await over2(session, 'app.localhost', '/x', 'abc');
    expect(JSON.parse(plain.body)).toMatchObject({ url: '/x', size: 3, headers: { host: 'app.localhost' } });
    const called = await over2(session, 'rpc.localhost', '/call', 'message');
    expect(called).toMatchObject({
      body: 'message',
      headers: { 'x-te': 'trailers' },
      trailers: { 'grpc-status': '0' },
    });
    const refused = await over2(session, 'rpc.localhost', '/refused');
    expect(refused.headers['grpc-status']).toBe('12');
    expect(refused.flags & 1).toBe(1);
    expect((await over2(session, 'other.localhost', '/')).headers[':status']).toBe(404);
    expect((await over2(session, 'app.localhost', '/trailers')).trailers['x-sum']).toBe('4');
  } finally {
    session.close();
  }
});

test('a request is logged without its query, and counted', async () => {
  const answer = await ask('app.localhost', '/paid?token=secret', { headers: { 'x-request-id': 'mine' } });
  expect(await answer.body.json()).toMatchObject({ headers: { 'x-request-id': 'mine' } });
  const line = await until('the line', async () =>
    readFileSync(join(directory, 'access.log'), 'utf8')
      .split('\n')
      .find((one) => one.includes('"/paid"')),
  );
  expect(line).not.toContain('secret');
  expect(JSON.parse(line)).toMatchObject({
    host: 'app.localhost',
    method: 'GET',
    path: '/paid',
    status: 200,
    instance: 'web-1',
    requestId: 'mine',
    client: '127.0.0.1',
  });
  const counted = traffic.all().find(({ host }) => host === 'app.localhost');
  expect(counted?.requests['2xx']).toBeGreaterThan(0);
  expect(counted?.milliseconds.p99).toBeGreaterThan(0);
});
