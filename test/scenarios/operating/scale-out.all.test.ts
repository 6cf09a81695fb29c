import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type ReadStream, readStream } from '../../ground/read-stream.ts';
import { heldBytes, inspectable } from '../../installation/held-memory.ts';
import { Installation } from '../../installation/installation.ts';
import { type Credential, headersOf } from '../../installation/running-api.ts';
import { secretsInLogs } from '../../installation/secrets-in-logs.ts';
import { story } from '../../installation/story.ts';

const path = '/api/v1/events/stream';
const megabyte = 1024 * 1024;
const opened: ReadStream[] = [];

const installation = await Installation.start('scale-out', inspectable);
const second = await installation.startBeside('api');
const { id: organizationId, owner } = await installation.organization();
afterAll(() => installation.remove());
afterEach(() => {
  for (const stream of opened.splice(0)) stream.stop();
});

/** Several organizations at once, so that the work is spread over whatever processes there are. */
async function stories(urls: string[], midway?: () => void): Promise<void> {
  const stages = Array.from({ length: 4 }, () => ({ installation, urls, ...(midway ? { midway } : {}) }));
  await Promise.all(stages.map(story));
}

test('one API and one worker serve several organizations at once', async () => {
  await stories([installation.url]);
});

test('two APIs and two workers serve them the same, even when one worker is killed in the middle', async () => {
  const worker = await installation.startBeside('worker');
  await stories([installation.url, second.url], () => worker.kill());
  await installation.until('the killed worker is gone', async () => worker.over());
  expect((await installation.readiness(second.url))?.ready).toBe(true);
  expect(secretsInLogs(installation)).toEqual([]);
});

async function read(as: Credential, url = installation.url): Promise<ReadStream> {
  const stream = await readStream({ url }, path, as);
  opened.push(stream);
  return stream;
}

/** Long ids: what the kernel buffers of a connection must be little beside what is sent. */
async function change(id: string, times = 1): Promise<void> {
  await sql`
    insert into change_feed (organization_id, kind, subject_id)
    select ${organizationId}, 'team', ${id} || number || repeat('x', 200) from generate_series(1, ${times}::int) number
  `.execute((await installation.database()).kysely);
}

const changes = 100_000;
const batch = 10_000;

/** A client that asks for the stream and then reads nothing more. */
async function stalledReader(): Promise<Socket> {
  const socket = connect(installation.port, '127.0.0.1');
  const headers = Object.entries(headersOf('GET', { as: owner })).map(([name, value]) => `${name}: ${value}`);
  socket.write([`GET ${path} HTTP/1.1`, `host: 127.0.0.1:${installation.port}`, ...headers, '', ''].join('\r\n'));
  await new Promise<void>((resolve) => socket.once('readable', () => resolve()));
  socket.pause();
  return socket;
}

/** Makes the changes while one reads along; answers what the API's process holds afterwards. */
async function run(name: string): Promise<number> {
  const reading = await read(owner);
  for (let made = 0; made < changes; made += batch) await change(`${name}-${made / batch}-`, batch);
  await installation.until('the reader has caught up', async () => {
    await change(`${name}-end-`);
    return reading.text().slice(-2000).includes(`${name}-end-`);
  });
  // A reader that missed a hint was told to resync.
  if (reading.events('resync').length === 0) {
    const hints = new Set(
      reading
        .events('change')
        .map(({ id }) => String(id))
        .filter((id) => id.startsWith(`${name}-`)),
    );
    expect([...hints].filter((id) => !id.includes('-end-')).length).toBe(changes);
  }
  expect(reading.ended()).toBe(false);
  reading.stop();
  return heldBytes(installation.parts.pid('api'), join(installation.home, 'logs', 'api.log'));
}

test('three readers that have stalled behind 100,000 changes cost less than one may, 32 MB, and another loses nothing', async () => {
  // The first run fills what is kept for good: compiled code, statements, connections.
  await run('first');
  const without = await run('control');
  const stalled = await Promise.all([stalledReader(), stalledReader(), stalledReader()]);
  const beside = await run('stalled');
  process.stdout.write(`three stalled readers: ${((beside - without) / megabyte).toFixed(1)} MB\n`);
  expect(beside - without).toBeLessThan(32 * megabyte);

  // Who goes on to read is told that something was missed.
  for (const socket of stalled) {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.resume();
    await installation.until('the resync', async () => text.includes('event: resync'));
    socket.destroy();
  }
});

describe('a credential that no longer holds', () => {
  test('a revoked token closes its streams in both processes', async () => {
    const slug = (await installation.call('GET', '/api/v1/organizations', { as: owner })).body.items as {
      slug: string;
    }[];
    const token = await installation.token('viewer', slug[0]?.slug);
    const streams = await Promise.all([installation.url, second.url].map((url) => read(token, url)));
    const revoked = await installation.call('DELETE', `/api/v1/api-tokens/${token.id}`, { as: owner });
    expect(revoked.status).toBe(204);
    await installation.until('both have ended', async () => streams.every((stream) => stream.ended()));
    expect((await installation.call('GET', '/api/v1/teams', { as: token })).status).toBe(403);
  });

  test('so does the deletion of the organization', async () => {
    const other = await installation.organization();
    const streams = await Promise.all([installation.url, second.url].map((url) => read(other.owner, url)));
    await installation.call('DELETE', `/api/v1/organizations/${other.id}`, {
      as: other.owner,
      body: { confirmSlug: other.slug },
    });
    await installation.until('both have ended', async () => streams.every((stream) => stream.ended()));
  });
});

describe('how many streams a credential may hold', () => {
  test('eight of the organization, whichever process serves them; the ninth is refused and says why', async () => {
    const session = await installation.session(organizationId, 'viewer');
    const held = await Promise.all(
      Array.from({ length: 8 }, (_, number) => read(session, number % 2 === 0 ? installation.url : second.url)),
    );
    expect(held.filter((stream) => stream.ended() || stream.text().includes('refused'))).toEqual([]);
    for (const url of [installation.url, second.url]) {
      const ninth = await read(session, url);
      expect(ninth.status).toBe(200);
      expect(ninth.text()).toMatch(/^: ?refused: .*8 organization streams/);
      await installation.until('it is closed', async () => ninth.ended());
    }
    // Somebody else's are not counted, and one that is closed makes room, on the other process too.
    expect((await read(owner)).text()).not.toContain('refused');
    held[0]?.stop();
    await installation.until('there is room again', async () => {
      return !(await read(session, second.url)).text().includes('refused');
    });
  });
});
