import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { feedChannel } from '../../../db/engine/feed/feed.ts';
import { until } from '../../../test/ground/until.ts';
import { headersOf, runningApi } from '../../../test/installation/running-api.ts';

const changes = 100_000;
const sockets: Socket[] = [];

const api = await runningApi();
const ours = await api.organization();
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await api.close();
});

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
  sockets.push(socket);
  const headers = Object.entries(headersOf('GET', { as: ours.tokens.viewer })).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(['GET /api/v1/events/stream HTTP/1.1', 'host: localhost', ...headers, '', ''].join('\r\n'));
  await new Promise<void>((resolve) => socket.once('readable', () => resolve()));
  socket.pause();
  return socket;
}

/** A client that reads on, and keeps only the numbers of the changes that it has heard of. */
async function countingReader() {
  const leaving = new AbortController();
  const answer = await fetch(`${api.url}/api/v1/events/stream`, {
    headers: headersOf('GET', { as: ours.tokens.admin }),
    signal: leaving.signal,
  });
  const heard = new Set<number>();
  const begun = Promise.withResolvers<void>();
  void (async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of answer.body ?? []) {
      begun.resolve();
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const number = /"id":"(\d+)-/.exec(frame)?.[1];
        if (number !== undefined) heard.add(Number(number));
      }
    }
  })().catch(() => undefined);
  // Changes before its first event may be told to nobody: the answer begins before the stream does.
  await begun.promise;
  return { heard, stop: () => leaving.abort() };
}

/**
 * Long enough that the buffers of the operating system cannot hold them all, and no faster than somebody reads: one who
 * reads more slowly than others write is stalled, too.
 */
async function manyChanges(heard: ReadonlySet<number>): Promise<void> {
  for (let from = 1; from <= changes; from += 1000) {
    await until('the reader keeps up', async () => heard.size > from - 4000);
    await api.sql`
      insert into change_feed (organization_id, kind, subject_id)
      select ${ours.organizationId}, 'team', number || '-' || repeat('x', 300)
      from generate_series(${from}::int, ${from + 999}::int) number
    `;
    await api.sql`select pg_notify(${feedChannel}, '')`;
  }
}

test('a stalled reader costs at most 32 MB during 100,000 changes, and the others lose nothing', async () => {
  // One: several that stall at different changes keep different ones.
  const stalled = await stalledReader();
  const reader = await countingReader();
  const before = heldBytes();
  await manyChanges(reader.heard);
  await until('all changes', async () => reader.heard.size === changes);
  expect(heldBytes() - before).toBeLessThan(32 * 1024 * 1024);
  reader.stop();

  // A reader that goes on is told that it missed something, instead of getting all of it late.
  let text = '';
  stalled.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  stalled.resume();
  await until('the resync', async () => text.includes('event: resync'));
  expect(text.split('event: change').length).toBeLessThan(changes);
});
