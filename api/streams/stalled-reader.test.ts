import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStream } from '../../test/read-stream.ts';
import { headersOf, type RunningApi, runningApi, type Seeded, seed } from '../../test/running-api.ts';
import { until } from '../../test/until.ts';

const changes = 100_000;
let api: RunningApi;
let ours: Seeded;

beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A client that asks for the stream and then reads nothing more. */
async function stalledReader(): Promise<Socket> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  const headers = Object.entries(headersOf('GET', { as: ours.tokens.viewer })).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(['GET /api/v1/events/stream HTTP/1.1', 'host: localhost', ...headers, '', ''].join('\r\n'));
  await new Promise<void>((resolve) => socket.once('readable', () => resolve()));
  socket.pause();
  return socket;
}

async function manyChanges(): Promise<void> {
  for (let from = 1; from <= changes; from += 1000) {
    await sql`
      insert into change_feed (organization_id, kind, subject_id)
      select ${ours.organizationId}, 'team', 'change-' || number from generate_series(${from}::int, ${from + 999}::int) number
    `.execute(api.database.kysely);
  }
}

test('a stalled reader costs at most 32 MB during 100,000 changes, and the others lose nothing', async () => {
  const before = heldBytes();
  const stalled = await Promise.all([stalledReader(), stalledReader(), stalledReader()]);
  const reading = await readStream(api, '/api/v1/events/stream', ours.tokens.admin);
  await manyChanges();
  await until('the last change', async () => reading.text().includes(`change-${changes}"`) && true, 60);
  const frames = reading.events('change');
  expect(new Set(frames.map(({ id }) => id)).size).toBe(changes);
  expect(reading.events('resync')).toEqual([]);
  const received = reading.text().length;
  reading.stop();
  const cost = heldBytes() - before - 3 * received;
  expect(cost).toBeLessThan(32 * 1024 * 1024);

  // A reader that goes on is told once that it missed something.
  const [first] = stalled;
  let text = '';
  first?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  first?.resume();
  await until('the resync', async () => text.includes('event: resync'));
  expect(text.split('event: resync').length).toBe(2);
  for (const socket of stalled) socket.destroy();
}, 120_000);
