import { once } from 'node:events';
import { createServer as createHttp, request } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { portOf } from '../../../machine/test-ground.ts';
import { openProxy } from '../../../outbound/proxy.ts';
import { privateAddresses } from '../../../test/ground/private-addresses.ts';
import { allowedBy } from '../builders.ts';

const loopback = { allowedRanges: ['127.0.0.0/8'] };
/** Answers with what it was asked, or leads elsewhere. */
const there = createHttp((asked, answer) => {
  const to = asked.headers['x-redirect'];
  if (typeof to === 'string') answer.writeHead(302, { location: to });
  answer.end(`${asked.method} ${asked.url} ${asked.headers.host} ${asked.headers['proxy-authorization'] ?? ''}`);
});
const port = await portOf(there);

async function proxied(...given: Parameters<typeof openProxy>) {
  const proxy = openProxy(...given);
  const server = createServer();
  const at = await portOf(server);
  proxy.serve(server);
  onTestFinished(proxy.close);
  return {
    proxy,
    async get(path: string, headers = {}) {
      const sent = request({ host: '127.0.0.1', port: at, path, headers, agent: false }).end();
      const [answer] = await once(sent, 'response');
      return { status: answer.statusCode, location: answer.headers.location, said: await text(answer) };
    },
    async tunnel(path: string) {
      const sent = request({ host: '127.0.0.1', port: at, method: 'CONNECT', path, agent: false }).end();
      const [answer, socket, head] = await once(sent, 'connect');
      const status = answer.statusCode;
      if (status === 200) socket.write(`GET /through HTTP/1.1\r\nhost: ${path}\r\nconnection: close\r\n\r\n`);
      return { status, said: `${head}${await text(socket)}` };
    },
  };
}

test('private addresses are refused in every notation, as http and as tunnels', async () => {
  const { get, tunnel, proxy } = await proxied({ allowedRanges: [], allowedBy });
  // A client spells other signs in ASCII before it asks.
  for (const host of privateAddresses.map((one) => (/^[ -~]+$/.test(one) ? one : encodeURI(one)))) {
    const [one, other] = await Promise.all([get(`http://${host}/`), tunnel(`${host}:443`)]);
    expect([host, one.status, other.status]).toEqual([host, 403, 403]);
  }
  const metadata = await get('http://169.254.169.254/latest/meta-data');
  expect(metadata.said).toBe(
    '169.254.169.254 is a private address; the owner of the cluster can allow it by --build-allowed-ranges of its agent, on the local cluster by OUTBOUND_ALLOWED_RANGES.\n',
  );
  // Said to people at the end, and not without bound.
  expect(proxy.refused.size).toBe(5);
});

test('a name that leads to a private address is refused, also beside a public one', async () => {
  const addresses = ['93.184.215.14', '10.0.0.7'].map((address) => ({ address, family: 4 }));
  const { get, tunnel } = await proxied({ allowedRanges: [] }, async () => addresses);
  expect((await get('http://mixed.example/')).status).toBe(403);
  expect(await tunnel('mixed.example:443')).toMatchObject({
    status: 403,
    said: expect.stringMatching(/mixed\.example is a private/),
  });
});

test('the address that was checked is the one that is connected to, by one look-up', async () => {
  const asked: string[] = [];
  const { get, tunnel } = await proxied(loopback, async (host) => {
    asked.push(host);
    return [{ address: '127.0.0.1', family: 4 }];
  });
  expect((await get(`http://inside.example:${port}/a?b`)).said).toBe(`GET /a?b inside.example:${port} `);
  expect((await tunnel(`inside.example:${port}`)).said).toMatch(/GET \/through inside\.example/);
  expect(asked).toEqual(['inside.example', 'inside.example']);
});

test('a redirect is given to the client, whose next request is checked again', async () => {
  const { get } = await proxied(loopback);
  const to = 'http://169.254.169.254/';
  const { status, location } = await get(`http://127.0.0.1:${port}/`, { 'x-redirect': to });
  expect([status, location]).toEqual([302, to]);
  expect((await get(to)).status).toBe(403);
});

test('what is for the proxy alone goes no further, and what it cannot do it says', async () => {
  const { get } = await proxied(loopback);
  const { said } = await get(`http://127.0.0.1:${port}/x`, { 'proxy-authorization': 'Basic eA==', host: 'other' });
  expect(said).toBe(`GET /x 127.0.0.1:${port} `);
  expect(await get('/x')).toMatchObject({ status: 400, said: expect.stringContaining('the proxy of a build') });
  expect(await get(`http://me:pass@127.0.0.1:${port}/x`)).toMatchObject({
    status: 403,
    said: expect.stringMatching(/no user name/),
  });
  expect(await get('http://127.0.0.1:1/')).toMatchObject({ status: 502, said: expect.stringMatching(/ECONNREFUSED/) });
  const missing = await proxied({ allowedRanges: [] });
  expect(await missing.tunnel('missing.invalid:443')).toMatchObject({
    status: 502,
    said: expect.stringMatching(/no address/),
  });
});
