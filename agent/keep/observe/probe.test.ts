import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createTcpServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { portOf } from '../../../machine/test-ground.ts';
import { process as processSchema } from '../../../protocol/workload.ts';
import type { Driver } from '../../drivers/driver.ts';
import { type Probe, type Probed, probe } from './probe.ts';

const timing = { everySeconds: 1, timeoutSeconds: 1, failures: 1 };
const nobody = new AbortController().signal;
// Only checks by command ask a driver.
const noDriver = {} as Driver;

const listen = async (server: Server) => ({ host: '127.0.0.1', port: await portOf(server) });

function ask(path: string, address: { host: string; port: number }, upstream = 'http1') {
  const process = processSchema.parse({ name: 'web', kind: 'http', port: 80, upstream });
  return wordsOf({ kind: 'http', path, ...timing }, { id: 'web-1', process, address });
}

async function wordsOf(check: Probe, probed: Probed) {
  return (await probe(noDriver, check, probed, nobody))?.text;
}

test('an answer of 2xx or 3xx is well, whatever its body; everything else is not, and says why', async () => {
  let followed = 0;
  const address = await listen(
    createServer((request, response) => {
      if (request.url === '/hang') return;
      if (request.url === '/elsewhere') followed += 1;
      if (request.url === '/endless') response.write('x'.repeat(100_000));
      else if (request.url === '/moved') response.writeHead(302, { location: '/elsewhere' }).end();
      else response.writeHead(Number(request.url?.slice(1))).end();
    }),
  );
  for (const path of ['/200', '/204', '/endless', '/moved']) expect(await ask(path, address)).toBeUndefined();
  expect(followed).toBe(0);
  expect(await ask('/503', address)).toBe('GET /503 was answered with 503.');
  expect(await ask('/hang', address)).toBe('no answer to GET /hang within 1 s.');
  expect(await ask('/200', { ...address, port: 1 })).toContain('ECONNREFUSED');
});

test('who speaks HTTP/2 only is asked by it', async () => {
  const server = createHttp2Server((request, response) => {
    if (request.url === '/hang') return;
    response.writeHead(request.url === '/well' ? 200 : 500).end('body');
  });
  const address = await listen(server);
  expect(await ask('/well', address, 'h2c')).toBeUndefined();
  expect(await ask('/ill', address, 'h2c')).toBe('GET /ill was answered with 500.');
  expect(await ask('/hang', address, 'h2c')).toBe('no answer to GET /hang within 1 s.');
  expect(await ask('/well', { ...address, port: 1 }, 'h2c')).toContain('ECONNREFUSED');
});

test('a connection is enough for a check by tcp', async () => {
  const address = await listen(createServer());
  const process = processSchema.parse({ name: 'db', kind: 'tcp', port: 80 });
  const check = { kind: 'tcp' as const, ...timing };
  expect(await wordsOf(check, { id: 'db-1', process, address })).toBeUndefined();
  const refused = { id: 'db-1', process, address: { ...address, port: 1 } };
  expect(await wordsOf(check, refused)).toContain('a connection failed');
  expect(await probe(noDriver, check, refused, nobody)).toMatchObject({ unanswered: true });
});

test('any answer shows that a program serves, and a connection alone does not', async () => {
  const process = processSchema.parse({ name: 'web', kind: 'http', port: 80 });
  const asked = async (server: Server) =>
    wordsOf({ kind: 'answer', timeoutSeconds: 1 }, { id: 'web-1', process, address: await listen(server) });
  expect(await asked(createServer((_, response) => response.writeHead(500).end()))).toBeUndefined();
  expect(await asked(createTcpServer((socket) => socket.end('-ERR unknown command\r\n')))).toBeUndefined();
  const tcp = 'If it speaks something else than HTTP, its kind is tcp.';
  expect(await asked(createTcpServer())).toBe(`it accepts connections, but gives no answer to GET /. ${tcp}`);
  expect(await asked(createTcpServer((socket) => socket.destroy()))).toMatch(
    /^it accepts connections, but GET \/ failed: .*\. If it speaks/,
  );
});

test('an answer that shows a setting which does not fit says which', async () => {
  let hosts: (string | undefined)[] = [];
  const address = await listen(
    createServer(({ url, headers: { host } }, response) => {
      if (url?.startsWith('/guarded')) {
        hosts.push(host);
        const isAllowed = host === 'shop.example.com';
        response.writeHead(isAllowed ? 200 : 400).end(isAllowed ? 'well' : `Invalid host header${'x'.repeat(100_000)}`);
      } else response.writeHead(url === '/' ? 204 : 404).end();
    }),
  );
  const process = processSchema.parse({ name: 'web', kind: 'http', port: 80 });
  const asked = (path: string, host?: string) =>
    probe(noDriver, { kind: 'http', path, ...timing }, { id: 'web-1', process, address, host }, nobody);

  expect(await asked('/health')).toEqual({
    text: expect.stringMatching(
      /^GET \/health was answered with 404\. GET \/ was answered with 204: .+ or answer at \/health\.$/,
    ),
    answer: { kind: 'path', status: 404, path: '/health', host: '127.0.0.1', rootStatus: 204 },
  });
  expect(await asked('/guarded')).toMatchObject({
    text: expect.stringContaining(
      'refuses requests for the host 127.0.0.1 with 400: add that name to its allowed_hosts.',
    ),
    answer: { kind: 'host', by: 'starlette', host: '127.0.0.1' },
  });
  hosts = [];
  // It is asked as visitors ask for it: what they see counts.
  expect(await asked('/guarded', 'shop.example.com')).toBeUndefined();
  expect(hosts).toEqual([`127.0.0.1:${address.port}`, 'shop.example.com']);
  expect(await asked('/guarded', 'other.example.com')).toMatchObject({ answer: { host: 'other.example.com' } });
});
