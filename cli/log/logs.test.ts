import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { specifiedClocks } from '../../api/engine/streams/clocks.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { LogBatch } from '../../protocol/logs.ts';
import { logChunk, observedSlice } from '../../test/agents/peer-agent.ts';
import { joinedCluster, observed } from '../../test/clusters/joined-cluster.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';

const joined = await joinedCluster();
const { api, ours, agent, clusterId, spawnBallast, ballast } = joined;
const put = await api.call('PUT', `/api/v1/clusters/${clusterId}/workloads/shop`, {
  as: ours.tokens.admin,
  body: { image: { layout: '/srv/shop' }, processes: [{ name: 'web', kind: 'http', port: 8080 }] },
});
expect(put.status, put.text).toBeLessThan(300);
await agent.report([observed('shop', { appliedRevision: 1 })]);
afterAll(() => joined.close());

/** Readers of commands that have ended are there until the control plane notices. */
const served = new Set<string>();

async function newReader() {
  const reader = await until('somebody reads', async () => (await agent.readers()).find(({ id }) => !served.has(id)));
  served.add(reader.id);
  return reader;
}

/** Answers somebody who reads a log, as the agent does: batches, each from where the one before ended. */
async function serveLog(batches: (LogBatch['chunks'] | 'end')[], begin = 0) {
  const reader = await newReader();
  const cursor = { stdout: reader.from?.stdout ?? begin, stderr: reader.from?.stderr ?? begin };
  for (const chunks of batches) {
    const from = { ...cursor };
    if (chunks === 'end') {
      await agent.log(reader.id, { from, to: from, chunks: [], end: {} });
      break;
    }
    for (const chunk of chunks) cursor[chunk.stream] = 'missing' in chunk ? chunk.missing.to : chunk.next;
    await agent.log(reader.id, { from, to: { ...cursor }, chunks });
  }
  return reader;
}
const moment = Date.parse('2026-03-01T12:00:00.000Z');

test('logs show lines of a workload with their times, and say where lines are missing', async () => {
  const gap = { stream: 'stdout' as const, missing: { from: 13, to: 2_000 } };
  const [logs] = await Promise.all([
    ballast(['cluster', 'logs', 'shop', '--tail', '5']),
    serveLog([
      [logChunk('stdout', 0, 'grüße\nzwei\n', moment)],
      [gap, logChunk('stdout', 2_000, 'drei\n', moment + 1_000)],
      'end',
    ]),
  ]);
  expect(logs).toEqual({
    code: 0,
    out: [
      '2026-03-01T12:00:00.000Z web-shop01 grüße',
      '2026-03-01T12:00:00.000Z web-shop01 zwei',
      '2026-03-01T12:00:01.000Z web-shop01 drei',
      '',
    ].join('\n'),
    err: 'ballast: web-shop01: Lines of stdout are missing here (positions 13 to 2000): they were deleted before they could be read.\n',
  });
});

test('runs of a crash loop stand apart, each with how it ended, and with --json as lines of their own', async () => {
  const at = (stdout: number) => ({ stdout, stderr: 0 });
  const serve = async () => {
    const reader = await newReader();
    const runs = [
      { run: 1, from: at(0), startedAt: moment - 9_000, exit: { at: moment - 8_000, code: 9 }, to: at(100) },
      { run: 2, from: at(100), startedAt: moment - 2_300, exit: { at: moment, code: 1 }, to: at(102) },
      {
        run: 3,
        from: at(102),
        startedAt: moment,
        exit: { at: moment + 500, code: 137, signal: 'SIGKILL' },
        to: at(104),
      },
    ];
    const chunks = [logChunk('stdout', 100, 'a\nb\n', moment)];
    await agent.log(reader.id, { from: at(100), to: at(104), chunks, runs, end: {} });
  };
  const [logs] = await Promise.all([ballast(['cluster', 'logs', 'web-shop01']), serve()]);
  expect(logs).toEqual({
    ...{ code: 0, err: '' },
    out: 'a\n--- run 2 exited with code 1 after 2.3 s\nb\n--- run 3 ended by SIGKILL after 0.5 s\n',
  });
  const [told] = await Promise.all([ballast(['cluster', 'logs', 'web-shop01', '--json']), serve()]);
  const lines = told.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    ...[
      { text: 'a', run: 2 },
      { run: 2, exit: { code: 1 } },
    ],
    ...[
      { text: 'b', run: 3 },
      { run: 3, exit: { signal: 'SIGKILL' } },
    ],
  ]);
});

test('logs that are followed end when nobody reads them any more', async () => {
  const child = spawnBallast(['cluster', 'logs', 'web-shop01', '-f']);
  const ended = once(child, 'exit');
  const first = once(child.stdout, 'data');
  const { id } = await serveLog([[logChunk('stdout', 0, 'line 1\n')]]);
  await first;
  child.stdout.destroy();
  // The next lines find out that nobody is there.
  let position = 7;
  await until('it has ended', async () => {
    if (child.exitCode !== null) return true;
    const chunk = logChunk('stdout', position, 'line\n');
    const cursors = { from: { stdout: position, stderr: 0 }, to: { stdout: chunk.next, stderr: 0 } };
    await agent.call('POST', `logs/${id}`, { ...cursors, chunks: [chunk] });
    position = chunk.next;
    return false;
  });
  expect(await ended).toEqual([141, null]);
});

test('logs that are followed go on behind the last line when the connection is lost', async () => {
  const child = spawnBallast(['cluster', 'logs', 'web-shop01', '-f']);
  let out = '';
  child.stdout.on('data', (bytes) => {
    out += bytes;
  });
  const first = await serveLog([[logChunk('stdout', 100, 'one\ntwo\n')]], 100);
  await until('it is printed', async () => out === 'one\ntwo\n');
  await api.dropConnections();
  const second = await until('it reads again', async () => (await agent.readers()).find(({ id }) => id !== first.id));
  expect(second).toMatchObject({ from: { stdout: 108, stderr: 100 }, follow: true });
  await serveLog([[logChunk('stdout', 108, 'three\n')]]);
  await until('it goes on', async () => out === 'one\ntwo\nthree\n');
  child.kill('SIGKILL');
});

test('logs that are followed fail when the agent does not begin with them', async () => {
  const hasty = await api.twin({ ...specifiedClocks, logBegins: 200 });
  const followed = await ballast(['cluster', 'logs', 'web-shop01', '-f'], { env: { BALLAST_URL: hasty.url } });
  await hasty.close();
  expect(followed).toMatchObject({ code: 1, out: '' });
  expect(followed.err).toMatch(
    /^ballast: web-shop01: The agent of the cluster "Berlin" did not begin with the log within 0\.2 s; try again, or [^\n]+\.\n$/,
  );
});

test('logs that are followed once too often are refused in a sentence', async () => {
  const most = 4;
  const place = `/api/v1/clusters/${clusterId}/instances/web-shop01/logs/stream?follow=true`;
  const held = await Promise.all(Array.from({ length: most }, () => readStream(api, place, ours.tokens.admin)));
  const refused = await ballast(['cluster', 'logs', 'web-shop01', '-f']);
  for (const stream of held) stream.stop();
  const err = `ballast: This credential already holds ${most} streams; close one of them first.\n`;
  expect(refused).toEqual({ code: 1, out: '', err });
});

test('what one log of several says at its end is told with its name, and the others are read on', async () => {
  const instances = ['one', 'two'].map((id) => ({
    ...{ id, process: 'web', release: 'one', node: 'one', state: 'ready' as const, run: 1 },
    startedAt: new Date().toISOString(),
  }));
  await agent.report([observedSlice('workload/pair', { instances })]);
  const reading = ballast(['cluster', 'logs', 'workload/pair', '-f']);
  const readers = await until('both are read', async () => {
    const found = (await agent.readers()).filter(({ instance }) => ['one', 'two'].includes(instance));
    return found.length === 2 && found;
  });
  const start = { stdout: 0, stderr: 0 };
  const idOf = (instance: string) => readers.find((reader) => reader.instance === instance)?.id ?? '';
  await agent.log(idOf('one'), { from: start, to: start, chunks: [], end: { message: 'Too many logs.' } });
  const chunk = logChunk('stdout', 0, 'still here\n', moment);
  await agent.log(idOf('two'), { from: start, to: { stdout: chunk.next, stderr: 0 }, chunks: [chunk], end: {} });
  expect(await reading).toEqual({
    code: 1,
    out: '2026-03-01T12:00:00.000Z two still here\n',
    err: 'ballast: one: Too many logs.\n',
  });
});

test('logs of an environment are by time, whichever instance is read first, and so are those that are followed', async () => {
  const place = await seedPlace(api.database, ours.organizationId);
  const beside = await seedPlace(api.database, ours.organizationId, { beside: place });
  const own = tenant(api.database.kysely, ours.organizationId);
  await own.updateTable('environment').set({ cluster_id: clusterId }).where('id', '=', place.environmentId).execute();
  const instance = (id: string, startedAt: string) => ({
    ...{ id, process: 'web', release: '1', node: 'one', state: 'ready' as const, run: 1, startedAt },
  });
  const newest = '2026-03-01T11:00:00.000Z';
  const keyOf = ({ environmentId, serviceId }: typeof place) => `env/${environmentId}/${serviceId}`;
  await agent.report([
    observedSlice(keyOf(place), {
      instances: [instance('old', '2026-03-01T10:00:00.000Z'), instance('young', newest)],
    }),
    observedSlice(keyOf(beside), { instances: [instance('other', newest)] }),
  ]);
  const slugOf = async (table: 'project' | 'service', id: string) =>
    (await own.selectFrom(table).select('slug').where('id', '=', id).executeTakeFirstOrThrow()).slug;
  const [project, service, second] = await Promise.all([
    slugOf('project', place.projectId),
    slugOf('service', place.serviceId),
    slugOf('service', beside.serviceId),
  ]);
  const before = new Set<string>();
  /** Those who read these instances anew, by instance. */
  const readersOf = async (...wanted: string[]) => {
    const found = await until('they are read', async () => {
      const fresh = (await agent.readers()).filter(({ id }) => !before.has(id));
      const by = new Map(fresh.map((reader) => [reader.instance, reader]));
      return wanted.every((id) => by.has(id)) && by;
    });
    for (const { id } of found.values()) before.add(id);
    return found;
  };
  const write = async (reader: { id: string } | undefined, position: number, text: string, at: number, end: object) => {
    const chunk = logChunk('stdout', position, text, at);
    const cursors = { from: { stdout: position, stderr: 0 }, to: { stdout: chunk.next, stderr: 0 } };
    await agent.log(reader?.id ?? '', { ...cursors, chunks: [chunk], ...end });
  };
  const words = ['logs', '--project', project];

  const reading = ballast([...words, '--tail', '7']);
  const readers = await readersOf('old', 'young', 'other');
  expect(readers.get('old')).toMatchObject({ tail: 7, follow: false });
  for (const [at, id] of ['young', 'other', 'old'].entries())
    await write(readers.get(id), 0, `of ${id}\n`, moment - at * 1_000, { end: {} });
  expect(await reading).toEqual({
    ...{ code: 0, err: '' },
    out: [
      `2026-03-01T11:59:58.000Z ${service} old of old`,
      `2026-03-01T11:59:59.000Z ${second} other of other`,
      `2026-03-01T12:00:00.000Z ${service} young of young`,
      '',
    ].join('\n'),
  });

  const named = ballast([...words, second, '--json']);
  await write((await readersOf('other')).get('other'), 0, 'alone\n', moment, { end: {} });
  expect(JSON.parse((await named).out)).toMatchObject({ instance: 'other', serviceName: second, text: 'alone' });

  const child = spawnBallast([...words, service, '-f']);
  let out = '';
  child.stdout.on('data', (bytes) => {
    out += bytes;
  });
  const followed = await readersOf('old', 'young');
  let position = 0;
  // A line waits for a moment alone: where this machine took longer to write the older one, the next round is looked at.
  await until(
    'the older line of a round comes first',
    async () => {
      const round = String(position);
      await write(followed.get('young'), position, `${round}\n`, moment + position + 1, {});
      await write(followed.get('old'), position, `${round}\n`, moment + position, {});
      position += round.length + 1;
      await until(
        'both are printed',
        async () => out.split('\n').filter((line) => line.endsWith(` ${round}`)).length === 2,
      );
      return out.indexOf(`old ${round}\n`) < out.indexOf(`young ${round}\n`);
    },
    20,
  );
  child.kill('SIGKILL');
});
