import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { sealReleaseSecrets } from '../../db/releases/secrets.ts';
import { rolloutKey } from '../../domain/deployments/workload-of.ts';
import type { LogBatch, LogCursor, LogReader } from '../../protocol/logs.ts';
import { logChunk, observedSlice, PeerAgent } from '../../test/agents/peer-agent.ts';
import { type ReadStream, readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import { seedRelease } from '../../test/seeds/seed-place.ts';

/** The same agent, as it reaches the other process. */
const opened: ReadStream[] = [];

const api = await runningApi();
const other = await api.twin();
const ours = await api.organization();
const [clusterId, agent] = await joined('Here');
const elsewhere = Object.assign(new PeerAgent(other.url), agent, {});
elsewhere.credential = agent.credential;
elsewhere.incarnation = agent.incarnation;
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.stop();
  await until('nothing is left', async () => (await left()).every((count) => count === 0));
});
afterAll(async () => {
  await other.close();
  await api.close();
});

async function joined(name: string, minor = 1): Promise<[string, PeerAgent]> {
  const { body } = await ours.tokens.admin.post('/clusters', { name });
  const { cluster, token } = body as { cluster: { id: string }; token: string };
  const peer = new PeerAgent(api.url);
  await peer.join(token, { protocol: { major: 1, minor } });
  const instance = { id: 'web-1', process: 'web', release: 'one', node: 'one', state: 'ready' as const, run: 1 };
  await peer.report([observedSlice('workload/app', { instances: [instance] })]);
  return [cluster.id, peer];
}

/** Everything that reading a log could leave in the database. */
async function left(): Promise<number[]> {
  const tables = ['log_reader', 'log_relay', 'cluster_command', 'command_output'];
  return await Promise.all(
    tables.map(async (table) => {
      const rows = await api.sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`;
      return rows[0]?.count ?? -1;
    }),
  );
}

const place = (id = clusterId) => `/api/v1/clusters/${id}/instances/web-1/logs`;
async function follow(more = '', at = api): Promise<ReadStream> {
  const stream = await readStream(at, `${place()}/stream?follow=true${more}`, ours.tokens.viewer);
  opened.push(stream);
  return stream;
}
const reader = (besides: string[] = []): Promise<LogReader> =>
  until('somebody reads', async () => (await agent.readers()).find(({ id }) => !besides.includes(id)));
const texts = (stream: ReadStream) => stream.events('log').map(({ text }) => text);
const lastId = (stream: ReadStream) =>
  stream
    .text()
    .match(/^id: (.+)$/gm)
    ?.at(-1)
    ?.slice(4);

/** Lines of stdout from a position on, with nothing on stderr. */
function batch(position: number, text: string, more: Partial<LogBatch> = {}): LogBatch {
  const chunk = logChunk('stdout', position, text);
  return { from: { stdout: position, stderr: 0 }, to: { stdout: chunk.next, stderr: 0 }, chunks: [chunk], ...more };
}

test.each(['the process of the reader', 'another process'])(
  'lines reach a reader by %s, in order, each once, and leave nothing behind',
  async (way) => {
    const by = way === 'another process' ? elsewhere : agent;
    const stream = await follow('&tail=7');
    const { id, ...wanted } = await reader();
    expect(wanted).toEqual({ instance: 'web-1', tail: 7, follow: true });
    let [position, expected] = [50, 0];
    for (let sent = 0; sent < 12; sent += 1) {
      const lines = Array.from({ length: 400 }, () => `line ${expected++}\n`).join('');
      const one = batch(position, lines);
      expect(await by.log(id, one)).toBe(true);
      // An answer may be lost: the same comes again.
      if (sent % 3 === 0) await by.log(id, one);
      position = one.to.stdout;
    }
    await until('all lines', async () => stream.events('log').length >= expected);
    expect(texts(stream)).toEqual(Array.from({ length: expected }, (_, number) => `line ${number}`));
    expect(stream.events('log')[1]).toMatchObject({ stream: 'stdout', position: 57 });
    expect(lastId(stream)).toBe(`${position}.0`);
  },
);

test('an agent that waits for work hears of a reader at once, wherever it waits, and when it leaves', async () => {
  for (const at of [api, other]) {
    const waiting = elsewhere.call('GET', 'work?since=0&wait=25&logs=');
    await until('it waits', async () => other.app.readiness !== undefined);
    const stream = await follow('', at);
    const { body } = await waiting;
    expect(body.logs).toMatchObject({ readers: [{ instance: 'web-1' }] });
    const { revision } = body.logs as { revision: string };
    const next = elsewhere.call('GET', `work?since=0&wait=25&logs=${revision}`);
    stream.stop();
    expect((await next).body.logs).toEqual({ revision: '', readers: [] });
  }
});

test('a stream continues behind the last event, by `after` and by Last-Event-ID', async () => {
  const first = await follow();
  const { id } = await reader();
  await agent.log(id, batch(10, 'one\ntwo\n'));
  await until('two lines', async () => texts(first).length === 2);
  first.stop();
  const behind: LogCursor = { stdout: 18, stderr: 0 };
  const second = await follow(`&after=${lastId(first)}`);
  const again = await reader([id]);
  expect(again).toMatchObject({ from: behind, follow: true });
  second.stop();
  const token = 'token' in ours.tokens.viewer ? ours.tokens.viewer.token : '';
  const leaving = new AbortController();
  await fetch(`${api.url}${place()}/stream?follow=true`, {
    headers: { authorization: `Bearer ${token}`, 'last-event-id': '18.0' },
    signal: leaving.signal,
  });
  expect(await reader([id, again.id])).toMatchObject({ from: behind });
  leaving.abort();
  const wrong = await api.call('GET', `${place()}/stream?after=nonsense`, { as: ours.tokens.viewer });
  expect([wrong.status, wrong.body.errors]).toMatchObject([422, [{ location: 'query.after' }]]);
});

test('an agent that was started again begins where the reader is, and what it tells twice is told once', async () => {
  const stream = await follow();
  const { id } = await reader();
  await agent.log(id, batch(0, 'one\ntwo\n'));
  await until('two lines', async () => texts(stream).length === 2);
  expect(await reader()).toMatchObject({ id, from: { stdout: 8, stderr: 0 } });
  // Another process knows an older position.
  await agent.log(id, batch(4, 'two\nthree\n'));
  await until('the next line', async () => texts(stream).length === 3);
  expect(texts(stream)).toEqual(['one', 'two', 'three']);
});

test('lines that were deleted before they were read are an event, and what is lost on the way ends the stream', async () => {
  const stream = await follow();
  const { id } = await reader();
  await agent.log(id, batch(0, 'one\n'));
  const gap = { stream: 'stdout' as const, missing: { from: 4, to: 5_000 } };
  const after = batch(5_000, 'two\n');
  await agent.log(id, { ...after, from: { stdout: 4, stderr: 0 }, chunks: [gap, ...after.chunks] });
  await until('two lines', async () => texts(stream).length === 2);
  expect(stream.events('missing')).toEqual([{ stream: 'stdout', from: 4, to: 5_000 }]);
  await agent.log(id, batch(6_000, 'far behind\n'));
  await until('it ends', async () => stream.ended());
  expect([texts(stream), stream.events('end'), lastId(stream)]).toEqual([['one', 'two'], [], '5004.0']);
});

test('both streams, pieces of characters and of lines, and the end', async () => {
  const stream = await readStream(api, `${place()}/stream?tail=10`, ours.tokens.viewer);
  opened.push(stream);
  const { id } = await reader();
  const chunks = [logChunk('stdout', 0, 'grüße\n', 1_000), logChunk('stderr', 3, 'oh\n\nno', 2_000)];
  await agent.log(id, { from: { stdout: 0, stderr: 3 }, to: { stdout: 8, stderr: 9 }, chunks });
  await agent.log(id, { from: { stdout: 8, stderr: 9 }, to: { stdout: 8, stderr: 9 }, chunks: [], end: {} });
  await until('it ends', async () => stream.ended());
  const at = (millis: number) => new Date(millis).toISOString();
  expect(stream.events('log')).toEqual([
    { stream: 'stdout', position: 0, text: 'grüße', at: at(1_000) },
    { stream: 'stderr', position: 3, text: 'oh', at: at(2_000) },
    { stream: 'stderr', position: 6, text: '', at: at(2_000) },
    { stream: 'stderr', position: 7, text: 'no', at: at(2_000) },
  ]);
  expect(stream.events('end')).toEqual([{ message: '' }]);
  expect((await agent.call('POST', `logs/${id}`, batch(8, 'late\n'))).status).toBe(404);
});

test('pages hold every line once, whatever was deleted is named, and none is asked for from the beginning again', async () => {
  const page = (cursor?: string) =>
    api.call('GET', `${place()}?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`, { as: ours.tokens.viewer });
  const first = page();
  const one = await reader();
  expect(one).toEqual({ id: one.id, instance: 'web-1', follow: false });
  await agent.log(one.id, batch(100, 'a\nb\nc\n'));
  const { body } = await first;
  expect(body.items).toMatchObject([{ text: 'a', position: 100 }, { text: 'b' }]);
  const second = page(String(body.nextCursor));
  const two = await reader([one.id]);
  expect(two.from).toEqual({ stdout: 104, stderr: 0 });
  const gap = { stream: 'stdout' as const, missing: { from: 104, to: 106 } };
  const last = batch(106, 'd\n', { from: { stdout: 104, stderr: 0 }, end: {} });
  await agent.log(two.id, { ...last, chunks: [gap, ...last.chunks] });
  const rest = (await second).body;
  expect(rest.items).toMatchObject([{ text: 'd', position: 106, missingFrom: 104 }]);
  expect(rest).not.toHaveProperty('nextCursor');
});

test('secrets that a program was given are masked in its log, and in the last lines of what failed before they are stored', async () => {
  const at = await ours.place();
  const release = await seedRelease(api.database, at, 1);
  const { organizationId, environmentId, serviceId, projectId } = at;
  const sealed = await sealReleaseSecrets(api.keyring, { ...release, organizationId }, { KEY: 'hidden/value' });
  await api.rows.set('release', { id: release.id }, { sealed });
  const deployment = {
    id: uuid(),
    environmentId,
    serviceId,
    releaseId: release.id,
    kind: 'deploy' as const,
    queue: true,
  };
  await api.effect((one) => admit(one, { organizationId, projectId }, { event: 'create', deployments: [deployment] }));
  const base64 = Buffer.from('u:hidden/value').toString('base64');
  const said = `hidden/value hidden%2Fvalue ${base64} hidden`;
  const key = rolloutKey(environmentId, serviceId);
  const instance = { id: 'web-2', process: 'web', release: '1', node: 'one', state: 'ready' as const, run: 1 };
  // A redeployment of the same release.
  const redeployed = { ...instance, id: 'web-3', release: '1.8' };
  const failure = { process: 'web', lines: [said] };
  const rollout = { id: deployment.id, digest: release.digest, phase: 'returned' as const, failure, at: {} };
  await agent.report([observedSlice(key, { instances: [instance, redeployed], rollout })]);
  const kept = await api.rows.one('observed_slice', { key });
  const masked = expect.stringMatching(/^\[secret\] \[secret\] \S{0,4}\[secret\]\S{0,4} hidden$/);
  expect(kept.rollout).toMatchObject({ failure: { lines: [masked] } });
  const readers: string[] = [];
  for (const { id } of [instance, redeployed]) {
    const path = `/api/v1/clusters/${clusterId}/instances/${id}/logs/stream?follow=true`;
    const stream = await readStream(api, path, ours.tokens.viewer);
    opened.push(stream);
    const read = await reader(readers);
    readers.push(read.id);
    await agent.log(read.id, batch(0, `${said}\n`));
    await until('a line', async () => texts(stream).length > 0);
    expect(texts(stream)).toEqual([masked]);
  }
});

test('another cluster cannot write into a log, and an agent of before is to be updated first', async () => {
  const [, stranger] = await joined('Stranger');
  const stream = await follow();
  const { id } = await reader();
  expect((await stranger.call('POST', `logs/${id}`, batch(0, 'forged\n'))).status).toBe(404);
  expect(await stranger.readers()).toEqual([]);
  expect(stream.events('log')).toEqual([]);
  const [old] = await joined('Old', 0);
  const refused = await readStream(api, `${place(old)}/stream`, ours.tokens.viewer);
  await until('it is refused', async () => refused.ended());
  expect(refused.text()).toMatch(/^: refused: .*too old to send logs.*cluster update/m);
});
