import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test as it } from 'vitest';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { type Authority, authority } from '../../ground/authority.ts';
import { freePort } from '../../ground/free-port.ts';
import { until } from '../../ground/until.ts';
import { example, FrontProxy, findProxy, names, type ProxyName } from './front-proxy.ts';

/** An application that says what it was asked, and sends back what it is sent once a connection was upgraded. */
const server = `
const { createServer } = require('http');
const { createHash } = require('crypto');
const web = createServer((asked, answer) => {
  let bytes = 0;
  asked.on('data', (part) => { bytes += part.length; });
  asked.on('end', () => answer.end(JSON.stringify({ bytes, headers: asked.headers })));
});
web.on('upgrade', (asked, socket) => {
  const accept = createHash('sha1').update(asked.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.pipe(socket);
});
web.listen(process.env.PORT);
`;

/** Where clients come from: another address than the proxy's, which alone is trusted. */
const client = '127.0.0.2';

const proxies = (['nginx', 'caddy'] satisfies ProxyName[]).map((name) => ({ name, program: findProxy(name) }));
let ca: Authority;
let building: BuildingCluster;
let token: string;
let application: string;
let served: ConstructorParameters<typeof FrontProxy>[2];
const folder = mkdtempSync(join(tmpdir(), 'ballast-behind-'));

beforeAll(async () => {
  if (proxies.every(({ program }) => program === undefined)) return;
  ca = await authority();
  const [https, http, ingress] = [await freePort(), await freePort(), await freePort()];
  const given = Object.fromEntries(
    [...example('ballast.env').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name ?? '', value ?? '']),
  );
  const { BALLAST_HOME: _, PORT: __, ...settings } = given;
  building = await BuildingCluster.start('behind-proxy', {
    ...settings,
    PUBLIC_URL: `https://${names.plane}:${https}`,
    INGRESS_DOMAIN: names.applications,
    INGRESS_PORT: String(ingress),
  });
  const { installation } = building;
  served = {
    https,
    http,
    api: installation.port,
    ingress,
    ...(await ca.certify(names.plane, `*.${names.applications}`)),
  };
  ({ token } = await installation.token('admin'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'echo', scripts: { start: 'node server.js' } }));
  writeFileSync(join(folder, 'server.js'), server);
  const deployed = await building.ballast('deploy', folder, '--project', 'echo', '--service', 'web', '--yes', '--json');
  expect(deployed.code, deployed.stderr).toBe(0);
  application = new URL(JSON.parse(deployed.stdout).addresses[0]).hostname;
});
afterAll(async () => {
  await building?.close();
  rmSync(folder, { recursive: true });
});

interface Asked {
  headers?: OutgoingHttpHeaders;
  body?: Buffer;
}

/** A request to a host behind the proxy, by a client of another address. */
function send(host: string, method: string, path: string, { headers = {}, body }: Asked = {}) {
  const sent = request({
    ...{ host: '127.0.0.1', port: served.https, localAddress: client, servername: host, ca: ca.ca, agent: false },
    ...{ method, path, headers: { host: `${host}:${served.https}`, ...headers } },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  // Without a length: in chunks, as clients of registries send layers.
  if (body !== undefined) sent.write(body);
  sent.end();
  return { sent, answered };
}

async function ask(host: string, method: string, path: string, asked?: Asked) {
  const answer = await send(host, method, path, asked).answered;
  const bytes = await buffer(answer);
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

const bearer = () => ({ authorization: `Bearer ${token}` });
const json = { 'content-type': 'application/json' };
const team = (name: string) => Buffer.from(JSON.stringify({ name }));

/** An event stream, with all that has come of it; a proxy that gathers answers first keeps even their beginning. */
function stream() {
  const { sent, answered } = send(names.plane, 'GET', '/api/v1/events/stream', { headers: bearer() });
  let text = '';
  answered.then(
    (answer) =>
      answer
        .on('error', () => undefined)
        .on('data', (bytes) => {
          text += bytes;
        }),
    (error: unknown) => {
      text = String(error);
    },
  );
  return { text: () => text, leave: () => sent.destroy() };
}

describe.for(proxies)('behind $name', ({ name, program }) => {
  const test = it.skipIf(program === undefined);
  let proxy: FrontProxy;
  beforeAll(async () => {
    if (program === undefined) return;
    proxy = new FrontProxy(name, program, served);
    await until('the proxy answers', async (see) => {
      const answer = await ask(names.plane, 'GET', '/healthz').catch(String);
      return typeof see({ answer, said: proxy.said }).answer !== 'string';
    });
  });
  afterAll(() => proxy?.close());

  test('layers of some MB are pushed, and come back as they were', async () => {
    const layer = randomBytes(9_000_000);
    const digest = `sha256:${createHash('sha256').update(layer).digest('hex')}`;
    const basic = { authorization: `Basic ${Buffer.from(`ci:${token}`).toString('base64')}` };
    const place = '/v2/default/echo/web/blobs';
    const on = (location: string | undefined) => {
      const { origin, pathname, search } = new URL(location ?? '', `https://${names.plane}:${served.https}`);
      expect(origin).toBe(`https://${names.plane}:${served.https}`);
      return `${pathname}${search}`;
    };
    const begun = await ask(names.plane, 'POST', `${place}/uploads/`, { headers: basic });
    expect(begun.status).toBe(202);
    const headers = { ...basic, 'content-type': 'application/octet-stream' };
    const sent = await ask(names.plane, 'PATCH', on(begun.headers.location), { headers, body: layer });
    expect([sent.status, sent.bytes.toString()]).toEqual([202, '']);
    const last = on(sent.headers.location);
    const put = await ask(names.plane, 'PUT', `${last}${last.includes('?') ? '&' : '?'}digest=${digest}`, { headers });
    expect(put.status).toBe(201);
    const { bytes } = await ask(names.plane, 'GET', `${place}/${digest}`, { headers: basic });
    expect(bytes.equals(layer)).toBe(true);
  });

  test('an event arrives as it happens, and a stream ends with its reader', async () => {
    // A credential may hold eight: those that were left are not held.
    for (let opened = 0; opened < 10; opened += 1)
      await until(
        'the stream is open',
        async () => {
          const one = stream();
          await until('it says something', async () => one.text() !== '', 20).finally(one.leave);
          return !one.text().includes('refused');
        },
        20,
      );
    const followed = stream();
    await until('it is open', async () => followed.text() !== '', 20);
    const made = await ask(names.plane, 'POST', '/api/v1/teams', {
      ...{ headers: { ...bearer(), ...json }, body: team(`Events ${randomBytes(4).toString('hex')}`) },
    });
    expect(made.status, made.bytes.toString()).toBe(201);
    const { id } = JSON.parse(made.bytes.toString());
    await until('the event', async (see) => see(followed.text()).includes(id), 20);
    followed.leave();
  });

  test('the audit log has the address of the client, whatever that says of itself', async () => {
    const headers = { ...bearer(), ...json, 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
    const name = `Audited ${randomBytes(4).toString('hex')}`;
    expect((await ask(names.plane, 'POST', '/api/v1/teams', { headers, body: team(name) })).status).toBe(201);
    const { items } = await building.call<{ items: object[] }>('GET', '/audit-log?action=team.created&limit=1');
    expect(items).toMatchObject([{ subject: { name }, ip: client }]);
  });

  test('an application is asked by its name, with who asks, and takes large bodies', async () => {
    const told = {
      'x-forwarded-host': 'evil.example.com',
      'x-forwarded-proto': 'ftp',
      'x-forwarded-for': '203.0.113.9',
    };
    const answer = await ask(application, 'POST', '/', { headers: told, body: randomBytes(3_000_000) });
    const { bytes, headers } = JSON.parse(answer.bytes.toString());
    expect({ status: answer.status, bytes }).toEqual({ status: 200, bytes: 3_000_000 });
    const host = `${application}:${served.https}`;
    expect(headers).toMatchObject({
      ...{ 'x-real-ip': client, 'x-forwarded-proto': 'https', 'x-forwarded-host': host },
      'x-forwarded-for': `${client}, 127.0.0.1`,
    });
  });

  test('a connection is upgraded', async () => {
    const headers = {
      ...{ connection: 'Upgrade', upgrade: 'websocket' },
      ...{ 'sec-websocket-version': '13', 'sec-websocket-key': randomBytes(16).toString('base64') },
    };
    const { sent, answered } = send(application, 'GET', '/', { headers });
    answered.then(
      ({ statusCode }) => sent.destroy(new Error(`It was answered with ${statusCode}.`)),
      () => undefined,
    );
    const echoed = await new Promise<string>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('upgrade', (_, socket, head) => {
        socket.once('data', (bytes) => resolve(String(bytes)));
        if (head.length > 0) resolve(String(head));
        socket.write('hello');
      });
    });
    sent.destroy();
    expect(echoed).toBe('hello');
  });
});
