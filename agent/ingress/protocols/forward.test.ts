import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { connect as connectTcp, createServer as createTcpServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Dispatcher, request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openFrontDoor } from '../../../test/agents/open-front-door.ts';
import { freePort } from '../../../test/ground/free-port.ts';

let front: Awaited<ReturnType<typeof openFrontDoor>>;
/** Requests that reached an instance, one line each. */
let seen: string[];
beforeEach(async () => {
  front = await openFrontDoor();
  seen = [];
});
afterEach(() => front.close());

const well = () =>
  createServer((asked, answer) => {
    seen.push(`${asked.method} ${asked.url}`);
    asked.resume().once('end', () => answer.end('well'));
  });
/** Takes a request and breaks off without a word, as one that crashes over it. */
const crashing = () => {
  const server = createServer((asked) => {
    seen.push(`${asked.method} ${asked.url}`);
    asked.socket.destroy();
  });
  return server.on('upgrade', (asked, socket) => {
    seen.push(`upgrade ${asked.url}`);
    socket.destroy();
  });
};

async function ask(method: Dispatcher.HttpMethod, path: string, headers: Record<string, string> = {}) {
  const url = `http://127.0.0.1:${front.port}${path}`;
  const body = method === 'GET' || method === 'HEAD' ? null : 'abc';
  const answer = await request(url, { method, body, headers: { host: 'app.localhost', ...headers } });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST'] as const)(
  '%s that an instance has taken is not repeated at another one',
  async (method) => {
    front.lead([await front.listening(crashing()), await front.listening(crashing())]);
    expect((await ask(method, '/once')).status).toBe(502);
    expect(seen).toEqual([`${method} /once`]);
  },
);

test('a WebSocket that an instance has taken is not opened at another one', async () => {
  front.lead([await front.listening(crashing()), await front.listening(crashing())]);
  const socket = new WebSocket(`ws://127.0.0.1:${front.port}/once`, { headers: { host: 'app.localhost' } });
  const [error] = await once(socket, 'error');
  expect(String(error)).toContain('502');
  expect(seen).toEqual(['upgrade /once']);
});

test('a stream that an instance refuses was sent all the same: it is not repeated, and the answer says that it may be', async () => {
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    seen.push(String(headers[':path']));
    stream.on('error', () => undefined);
    stream.close(7);
  });
  front.lead([await front.listening(server as unknown as Server)], 'h2c');
  const answer = await ask('POST', '/refused');
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  expect(answer.text).toContain('did nothing with the request');
  expect(seen).toEqual(['/refused']);
});

test.each(['http1', 'h2c'] as const)(
  'what could not be sent at all goes to whatever instance there is (%s)',
  async (protocol) => {
    const dead = await Promise.all(Array.from({ length: 6 }, () => freePort()));
    const alive = protocol === 'http1' ? well() : (createHttp2Server() as unknown as Server);
    if (protocol === 'h2c') {
      alive.on('request', (asked, answer) => {
        seen.push(`${asked.method} ${asked.url}`);
        asked.resume().once('end', () => answer.end('well'));
      });
    }
    front.lead([...dead, await front.listening(alive)], protocol);
    for (let round = 0; round < 8; round += 1) {
      expect(await ask('POST', `/${round}`)).toMatchObject({ status: 200, text: 'well' });
    }
    expect(seen).toEqual(Array.from({ length: 8 }, (_, round) => `POST /${round}`));
  },
);

test('a WebSocket that could not be opened goes to another instance', async () => {
  const refusing = createServer().on('upgrade', (_, socket) => socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n'));
  front.lead([await freePort(), await freePort(), await front.listening(refusing)]);
  const socket = new WebSocket(`ws://127.0.0.1:${front.port}/`, { headers: { host: 'app.localhost' } });
  const [error] = await once(socket, 'error');
  expect(String(error)).toContain('401');
});

test('an instance that refuses a WebSocket and then talks nonsense is cut off, and leaves nothing under way', async () => {
  const hostile = () =>
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
        setTimeout(() => socket.write('nonsense\r\n'), 50);
      });
    });
  front.lead([await front.listening(hostile()), await front.listening(hostile())]);
  const client = connectTcp(front.port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: app.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const answer = await text(client).catch(() => 'cut');
  // One answer, whatever became of it, and not that of another instance after it.
  expect(answer.match(/HTTP\/1\.1/g)?.length ?? 0).toBeLessThan(2);
  expect(Object.values(front.table.inFlight())).not.toContain(1);
});

test('an instance that closes without an answer while a request comes over a kept connection gets it once', async () => {
  let taken = 0;
  // The first request of a connection is answered, the second one read and dropped.
  const server = createTcpServer((socket) => {
    let requests = 0;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      taken += 1;
      requests += 1;
      if (requests > 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  front.lead([await front.listening(server)]);
  expect((await ask('GET', '/first')).status).toBe(200);
  expect((await ask('GET', '/second')).status).toBe(502);
  expect(taken).toBe(2);
});

test('what failed is said in the way in which the client reads: a page for browsers, a line for programs', async () => {
  front.lead([await front.listening(crashing())]);
  const line = await ask('POST', '/');
  expect(line.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(line.text).toMatch(/^The application broke off before it answered\. .*not repeated.*\n$/);
  const page = await ask('GET', '/', { accept: 'text/html,*/*;q=0.8', 'x-request-id': '<script>x</script>' });
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
  });
  expect(page.text).toContain('The application broke off before it answered.');
  expect(page.text).not.toContain('<script>');
  expect(page.text).toContain('&lt;script&gt;x');
  front.lead([await freePort()]);
  expect((await ask('GET', '/')).text).toMatch(/could be reached, so nothing was done/);
  front.lead([]);
  expect(await ask('GET', '/', { accept: 'text/html' })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
  });
});

test('over HTTP/2 a browser gets the page, too', async () => {
  front.lead([]);
  const session = connect(`http://127.0.0.1:${front.port}`);
  try {
    const stream = session.request({ ':authority': 'app.localhost', accept: 'text/html' });
    const [headers] = await once(stream, 'response');
    expect(headers).toMatchObject({ ':status': 503, 'content-type': 'text/html; charset=utf-8' });
    expect(await text(stream)).toContain('<!doctype html>');
  } finally {
    session.close();
  }
});
