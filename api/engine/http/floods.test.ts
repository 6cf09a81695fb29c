import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../test/ground/until.ts';
import { type RunningApi, runningApi, type Seeded, seed } from '../../../test/installation/running-api.ts';

/** More than requests may be in work at once. */
const many = 1_100;

let api: RunningApi;
let ours: Seeded;
const held: Socket[] = [];

beforeAll(async () => {
  api = await runningApi({ env: { CONNECTIONS_PER_ADDRESS: '2000' } });
  ours = await seed(api.database);
});
afterAll(async () => {
  for (const socket of held.splice(0)) socket.destroy();
  await api.close();
});

interface Held {
  socket: Socket;
  read: string;
  closed: boolean;
}

async function hold(at: RunningApi, head: string[], body = ''): Promise<Held> {
  const socket = connect(Number(new URL(at.url).port), '127.0.0.1');
  const kept: Held = { socket, read: '', closed: false };
  held.push(socket);
  socket.on('data', (chunk) => {
    kept.read += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    kept.closed = true;
  });
  await once(socket, 'connect');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return kept;
}

const post = (path: string, length: number, ...more: string[]) => [
  `POST ${path} HTTP/1.1`,
  'Host: localhost',
  'Content-Type: application/json',
  `Content-Length: ${length}`,
  ...more,
];

async function everythingAnswers(at: RunningApi, seeded: Seeded): Promise<void> {
  const answers = await Promise.all([
    at.call('GET', '/healthz'),
    at.call('GET', '/api/v1/teams', { as: seeded.tokens.viewer }),
    at.call('POST', '/api/v1/teams', { as: seeded.sessions.admin, body: { name: `Team ${crypto.randomUUID()}` } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201]);
}

test('a thousand requests whose bodies never come stop nobody, and are refused before their bodies', async () => {
  const paths = [
    '/agent/v1/report',
    '/agent/v1/enrol',
    '/api/v1/teams',
    '/trpc/teams.create',
    '/api/v1/token-exchange',
  ];
  const asked = await Promise.all(
    Array.from({ length: many }, (_, index) => hold(api, post(paths[index % paths.length] ?? '', 100))),
  );
  await everythingAnswers(api, ours);
  const needCredential = asked.filter(
    (_, index) => !['/agent/v1/enrol', '/api/v1/token-exchange'].includes(paths[index % paths.length] ?? ''),
  );
  await until('all without a credential are refused', async () =>
    needCredential.every(({ read }) => /^HTTP\/1\.1 4(?:03|29)/.test(read)),
  );
  await until('and their connections are over', async () => needCredential.every(({ closed }) => closed));
  await everythingAnswers(api, ours);
});

test('four megabytes without a credential are neither read nor parsed', async () => {
  const body = `[${'{},'.repeat(1_333_333)}{}]`;
  for (const path of ['/agent/v1/report', '/api/v1/teams', '/trpc/teams.create', '/nothing/here']) {
    const asked = await hold(api, post(path, body.length), body);
    await until('it is answered and over', async () => asked.closed);
    expect(asked.read).toMatch(/^HTTP\/1\.1 4(?:03|04|29)/);
    expect(asked.read).toContain('connection: close');
  }
});

test('what does not arrive in time is answered 408 and its connection destroyed, though the client holds it', async () => {
  const slow = await runningApi({ env: { RECEIVE_TIMEOUT: '200ms' } });
  const seeded = await seed(slow.database);
  const { token } = seeded.tokens.admin as { token: string };
  const halves = await Promise.all([
    hold(slow, post('/api/v1/teams', 100, `Authorization: Bearer ${token}`), '{'),
    hold(slow, post('/api/v1/token-exchange', 100), '{'),
    hold(slow, post('/agent/v1/enrol', 100), '{'),
  ]);
  // Not even its headers are whole.
  const unfinished = connect(Number(new URL(slow.url).port), '127.0.0.1');
  held.push(unfinished);
  unfinished.write('GET /healthz HTTP/1.1\r\nX-Slow: ');
  let answer = '';
  unfinished.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  await until('each connection is over', async () => halves.every(({ closed }) => closed) && unfinished.closed);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  for (const { read } of halves) expect(read).toMatch(/^HTTP\/1\.1 408 /);
  await everythingAnswers(slow, seeded);
  await slow.close();
});

test('an address that holds too many connections loses its oldest idle ones, and is still served', async () => {
  const small = await runningApi({ env: { CONNECTIONS_PER_ADDRESS: '8' } });
  const seeded = await seed(small.database);
  const idle: Held[] = [];
  for (let count = 0; count < 20; count += 1) {
    idle.push(await hold(small, post('/api/v1/token-exchange', 100)));
  }
  await until('the oldest are gone', async () => idle.slice(0, 12).every(({ closed }) => closed));
  await everythingAnswers(small, seeded);
  for (const { socket } of idle) socket.destroy();
  await small.close();
});
