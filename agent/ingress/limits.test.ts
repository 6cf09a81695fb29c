import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { undoing } from '../../machine/test-ground.ts';
import { openFrontDoor } from '../../test/agents/open-front-door.ts';
import { until } from '../../test/ground/until.ts';
import { clientKey, type Limits } from './requests/client-limits.ts';

/** Other addresses than 127.0.0.1 are there on Linux only. */
const attacker = '127.0.0.2';
const proxy = '127.0.0.9';
const undo = undoing();

async function open(limits: Partial<Limits>) {
  const front = await openFrontDoor(limits);
  undo.push(() => front.close());
  const bodies: string[] = [];
  front.lead([
    await front.listening(
      createServer(async (asked, answer) => {
        if (asked.url === '/talk') answer.flushHeaders();
        const body = await text(asked).catch(() => 'cut');
        bodies.push(body);
        answer.end(`got ${body}`);
      }),
    ),
  ]);
  const client = (from: string, said = '') => {
    const socket = connect({ port: front.port, host: '127.0.0.1', localAddress: from });
    socket.on('error', () => undefined);
    undo.push(() => socket.destroy());
    if (said !== '') socket.write(said);
    return socket;
  };
  return { ...front, client, bodies };
}

const get = 'GET / HTTP/1.1\r\nHost: app.localhost\r\nConnection: close\r\n\r\n';
const slow = 'POST / HTTP/1.1\r\nHost: app.localhost\r\nContent-Length: 100\r\n\r\nx';
const statusOf = async (socket: Socket) => (await text(socket)).split(' ')[1];
async function firstStatus(socket: Socket): Promise<string | undefined> {
  const [chunk] = await once(socket, 'data');
  return String(chunk).split(' ')[1];
}

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s', (address, key) => {
  expect(clientKey(address)).toBe(key);
});

test.runIf(process.platform === 'linux')(
  'slow bodies of one client get 429, and others are answered meanwhile',
  async () => {
    const { client, table } = await open({ requests: 20 });
    const held = Array.from({ length: 60 }, () => client(attacker, slow));
    const refused = held.map((socket) => firstStatus(socket).catch(() => undefined));
    await until('20 are with the application', async () => Object.values(table.inFlight())[0] === 20);
    expect(await statusOf(client('127.0.0.1', get))).toBe('200');
    expect(await statusOf(client(attacker, get))).toBe('429');
    const told: (string | undefined)[] = [];
    for (const one of refused) one.then((status) => told.push(status));
    await until('all others were refused', async () => told.length === 40);
    expect(new Set(told)).toEqual(new Set(['429']));
    for (const socket of held) socket.destroy();
    await until('it may come again', async () => (await statusOf(client(attacker, get))) === '200');
  },
);

test.runIf(process.platform === 'linux')(
  'a client with too many connections is told so, and far too many are not read',
  async () => {
    const { client, door } = await open({ connections: 10 });
    const idle = Array.from({ length: 10 }, () => client(attacker));
    await until('they are open', async () => door.connections === 10);
    expect(await statusOf(client(attacker, get))).toBe('429');
    const session = connectHttp2('http://127.0.0.1', {
      createConnection: () => client(attacker),
    });
    session.on('error', () => undefined);
    undo.push(() => session.destroy());
    const stream = session.request({ ':authority': 'app.localhost' });
    const [headers] = await once(stream, 'response');
    expect(headers[':status']).toBe(429);
    stream.resume();
    await once(session, 'close');
    const crowded = Array.from({ length: 10 }, () => client(attacker));
    await until('these are open, too', async () => door.connections === 20);
    expect(await text(client(attacker, get)).catch(() => '')).toBe('');
    expect(await statusOf(client('127.0.0.1', get))).toBe('200');
    for (const socket of [...idle, ...crowded]) socket.destroy();
    await until('it may come again', async () => (await statusOf(client(attacker, get))) === '200');
  },
);

test.runIf(process.platform === 'linux')('a trusted proxy is many clients, each with a limit of its own', async () => {
  const { client, table } = await open({ connections: 5, requests: 2 });
  const from = (address: string, request: string) =>
    client(proxy, request.replace('\r\n', `\r\nX-Forwarded-For: 6.6.6.6, ${address}\r\n`));
  for (let one = 0; one < 4; one += 1) from(`2001:db8::${one}`, slow);
  for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) from(address, slow);
  await until('they are under way', async () => Object.values(table.inFlight())[0] === 5);
  expect(await statusOf(from('2001:db8::ffff', get))).toBe('429');
  expect(await statusOf(from('198.51.100.1', get))).toBe('200');
});

test('a body that comes too slowly is ended, and one of a conversation is not', async () => {
  const { client, bodies } = await open({ bodyPause: 60_000, bodyGrace: 3_000, bodyBytesPerSecond: 1_000_000 });
  const dripping = client('127.0.0.1', slow.replace('100', '1000000'));
  const drip = setInterval(() => dripping.write('x'), 20);
  undo.push(() => clearInterval(drip));
  expect(await firstStatus(dripping)).toBe('408');
  clearInterval(drip);
  const talking = client('127.0.0.1', slow.replace('POST /', 'POST /talk'));
  expect(await firstStatus(talking)).toBe('200');
  const fast = client('127.0.0.1', slow.replace('100', '1'));
  expect(await firstStatus(fast)).toBe('200');
  // The slow one of before was cut at the application; this one is whole, however long it took.
  await until('it was cut', async () => bodies.includes('cut'));
  talking.write('x'.repeat(99));
  await until('it has come', async () => bodies.includes('x'.repeat(100)));
});

test('a body of which nothing comes any more is ended', async () => {
  const { client } = await open({ bodyPause: 100 });
  expect(await firstStatus(client('127.0.0.1', slow))).toBe('408');
});
