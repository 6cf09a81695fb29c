import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { api, everythingAnswers, type Held, held, heldRequests, hold, post } from '../../../test/api/held-requests.ts';
import { until } from '../../../test/ground/until.ts';
import { runningApi } from '../../../test/installation/running-api.ts';

heldRequests();

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
  const seeded = await slow.organization();
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
  const seeded = await small.organization();
  const idle: Held[] = [];
  for (let count = 0; count < 20; count += 1) {
    idle.push(await hold(small, post('/api/v1/token-exchange', 100)));
  }
  await until('the oldest are gone', async () => idle.slice(0, 12).every(({ closed }) => closed));
  await everythingAnswers(small, seeded);
  for (const { socket } of idle) socket.destroy();
  await small.close();
});

test('an API that stops waits for no connection that a trusted proxy has opened ahead', async () => {
  const proxied = await runningApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const ahead = connect(Number(new URL(proxied.url).port), '127.0.0.1');
  held.push(ahead);
  await once(ahead, 'connect');
  // Accepted after the one that was opened before.
  expect((await proxied.call('GET', '/healthz')).status).toBe(200);
  const closing = proxied.close();
  await until('it is over', async () => ahead.closed, 60);
  await closing;
});
