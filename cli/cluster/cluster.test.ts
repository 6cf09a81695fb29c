import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { specifiedClocks } from '../../api/engine/streams/clocks.ts';
import { storeHistoryPage } from '../../db/engine/archive/history-archive.ts';
import type { LogBatch } from '../../protocol/logs.ts';
import type { ObservedSlice } from '../../protocol/observed.ts';
import { recordedHistory } from '../../test/actors/recorded-history.ts';
import { logChunk, observedSlice, PeerAgent } from '../../test/agents/peer-agent.ts';
import { bareEnvironment } from '../../test/ground/bare-environment.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { seedReleases } from '../../test/seeds/seed-cluster.ts';
import { actorKinds } from '../../workflows/descriptors.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

let api: RunningApi;
let ours: Seeded;
let agent: PeerAgent;
let clusterId: string;
let directory: string;

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Begins a command against the API that runs here. */
function spawnBallast(words: string[], more: Record<string, string> = {}) {
  const token = 'token' in ours.tokens.admin ? ours.tokens.admin.token : '';
  const env = { ...bareEnvironment, BALLAST_HOME: join(directory, 'home') };
  return spawn(process.execPath, [main, ...words], {
    env: { ...env, BALLAST_URL: api.url, BALLAST_TOKEN: token, ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function ballast(words: string[], more: { env?: Record<string, string>; input?: string } = {}): Promise<Ended> {
  const child = spawnBallast(words, more.env);
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  child.stdin.end(more.input ?? '');
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-cluster-'));
  api = await runningApi();
  ours = await seed(api.database);
  const made = await ballast(['cluster', 'create', 'Berlin', '--json']);
  const { cluster, token } = JSON.parse(made.out);
  clusterId = cluster.id;
  agent = new PeerAgent(api.url);
  await agent.join(token);
});
afterAll(async () => {
  await api?.close();
  rmSync(directory, { recursive: true });
});

const file = `
workloads:
  - name: shop
    image: { layout: /srv/shop }
    processes: [{ name: web, kind: http, port: 8080 }]
`;

/** An agent's answer to a command: some output, then the end. */
async function serveOne(kind: string, end: (id: string) => Promise<unknown>): Promise<void> {
  const command = await until('the command is delivered', async () =>
    (await agent.work(1_000, 1)).commands.find(({ body }) => body.kind === kind),
  );
  await end(command.id);
}
function observed(name: string, more: Partial<ObservedSlice>): ObservedSlice {
  const startedAt = new Date().toISOString();
  const instance = {
    id: `web-${name}01`,
    process: 'web',
    release: 'one',
    node: 'one',
    state: 'ready' as const,
    run: 1,
    startedAt,
  };
  return observedSlice(`workload/${name}`, { instances: [instance], ...more });
}

const piece = (number: number, stream: 'stdout' | 'stderr', text: string) => ({
  number,
  stream,
  data: Buffer.from(text).toString('base64'),
});

test('apply waits until the agent says that it is in effect, ps shows it', async () => {
  const path = join(directory, 'app.yaml');
  writeFileSync(path, file);
  expect((await ballast(['cluster', 'apply', path, '--dry-run'])).out).toBe('shop would be created\n');
  const applying = ballast(['cluster', 'apply', path, '--json']);
  await until('the agent is told of it', async () => (await agent.work(0, 1)).desired?.slices[0]);
  await agent.report([observed('shop', { appliedRevision: 1 })]);
  const applied = await applying;
  expect([applied.code, JSON.parse(applied.out)]).toMatchObject([0, { items: [{ name: 'shop', state: 'applied' }] }]);
  const listed = await ballast(['cluster', 'ps']);
  expect(listed.out).toMatch(/^web-shop01 +shop +one +ready +1 +20/m);
  const shown = await ballast(['cluster', 'show']);
  expect(shown.out).toMatch(/^driver +process, v24$/m);
  expect(shown.out).toContain('Put only what you trust on it.');
  expect((await ballast(['cluster', 'list'])).out).toMatch(/^berlin +Berlin /m);
});

test('apply fails with exit code 1 when the agent says why it cannot be', async () => {
  const applying = ballast(['cluster', 'apply', '-', '--json'], { input: file.replaceAll('shop', 'broken') });
  const slice = await until('the agent is told of it', async () =>
    (await agent.work(1, 1)).desired?.slices.find(({ key }) => key === 'workload/broken'),
  );
  const { revision } = slice;
  const crashed = { run: 3, code: 7, at: new Date().toISOString() };
  const instance = {
    id: 'web-b1',
    process: 'web',
    release: 'one',
    node: 'one',
    state: 'waiting' as const,
    run: 3,
    exit: crashed,
  };
  await agent.report([
    observedSlice(slice.key, { revision: revision - 1, error: 'Of the one before.', instances: [instance] }),
  ]);
  const error = 'broken/web is in a crash loop: exited with code 7, 3 restarts in 7 s.';
  await agent.report([observedSlice(slice.key, { revision, error, instances: [instance] })]);
  const { code, out, err } = await applying;
  expect([code, JSON.parse(out).items]).toMatchObject([1, [{ name: 'broken', state: 'failed', error }]]);
  expect(err).toContain('broken/web web-b1 exited with code 7 in run 3\n');
  expect(err).toContain(`ballast: broken failed: ${error}\n`);
  // The workload still counts as failed until the agent reports the next attempt.
  const again = await ballast(['cluster', 'apply', '-', '--no-wait'], { input: file.replaceAll('shop', 'broken') });
  expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^broken .* pending /m)]);
});

test('exec passes on what is said and the exit code, logs show lines', async () => {
  const [ran] = await Promise.all([
    ballast(['cluster', 'exec', 'web-shop01', '--', 'ls', '--help']),
    serveOne('exec', async (id) => {
      await agent.output(id, [piece(0, 'stdout', 'Usage: '), piece(1, 'stderr', 'oops'), piece(2, 'stdout', 'ls\n')]);
      await agent.result(id, { exitCode: 3 });
    }),
  ]);
  expect(ran).toEqual({ code: 3, out: 'Usage: ls\n', err: 'oops' });
});

/** Answers somebody who reads a log, as the agent does: batches, each from where the one before ended. */
async function serveLog(batches: (LogBatch['chunks'] | 'end')[], begin = 0) {
  const reader = await until('somebody reads', async () => (await agent.readers())[0]);
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

test('exec refuses an input that it would drop', async () => {
  const piped = await ballast(['cluster', 'exec', 'web-shop01', '--', 'cat'], { input: 'precious' });
  expect(piped).toMatchObject({ code: 1, out: '', err: expect.stringContaining('would get no standard input') });
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

test('restart waits for its end, and says why it failed', async () => {
  const [restarted] = await Promise.all([
    ballast(['cluster', 'restart', 'shop']),
    serveOne('restart', (id) => agent.result(id, { exitCode: 0 })),
  ]);
  expect(restarted).toEqual({ code: 0, out: 'shop is restarted.\n', err: '' });
  const [failed] = await Promise.all([
    ballast(['cluster', 'restart', 'shop', '--process', 'web']),
    serveOne('restart', (id) => agent.result(id, { outcome: 'failed', message: 'It does not become ready.' })),
  ]);
  expect(failed).toEqual({ code: 1, out: '', err: 'ballast: It does not become ready.\n' });
});

test('remove takes a workload away', async () => {
  await ballast(['cluster', 'apply', '-', '--no-wait'], { input: file.replaceAll('shop', 'spare') });
  expect(await ballast(['cluster', 'remove', 'spare'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('spare is being removed'),
  });
  expect(await ballast(['cluster', 'remove', 'nothing'])).toMatchObject({ code: 1, out: '' });
});

test('a change whose answer is lost is asked for again, and made once', async () => {
  const { port, hostname } = new URL(api.url);
  let lost = 0;
  const lossy = createServer((asked, answer) => {
    const onward = request({ port, hostname, path: asked.url, method: asked.method, headers: asked.headers }, (got) => {
      const loses = lost < 2 && (asked.method === 'PUT' || lost === 0);
      if (!loses) return void got.pipe(answer.writeHead(got.statusCode ?? 0, got.headers));
      lost += 1;
      got.resume().once('end', () => asked.socket.destroy());
    });
    asked.pipe(onward);
  });
  await once(lossy.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(lossy.address() as AddressInfo).port}`;
  const once_ = file.replaceAll('shop', 'once');
  const applied = await ballast(['cluster', 'apply', '-', '--no-wait'], { input: once_, env: { BALLAST_URL: url } });
  lossy.close();
  expect([applied.code, lost]).toEqual([0, 2]);
  const records = await api.database.kysely
    .selectFrom('audit_record')
    .select('id')
    .where('subject_name', '=', 'once')
    .execute();
  expect(records).toHaveLength(1);
});

test('a control plane that answers, and cannot work, is not said to be started', async () => {
  const server = createServer((_, answer) => {
    answer.writeHead(503, { 'content-type': 'application/problem+json' });
    answer.end(JSON.stringify({ detail: 'PostgreSQL does not answer.' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const refused = await ballast(['cluster', 'list'], { env: { BALLAST_URL: url } });
  server.close();
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toBe(
    'ballast: PostgreSQL does not answer; it is tried again for 3 s.\nballast: PostgreSQL does not answer; try again later, or see what `./ballast doctor` says there.\n',
  );
});

test('prune takes away what the file does not name, events tell what happened', async () => {
  const { out } = await ballast(['cluster', 'apply', '-', '--prune', '--no-wait'], { input: file });
  expect(out).toContain('broken is removed');
  const events = await ballast(['cluster', 'events']);
  expect(events.out).toMatch(/workload\.applied +.*shop/);
});

test('update asks for the offered release, and can be cancelled', async () => {
  const { newer } = await seedReleases(api.database);
  const begun = await ballast(['cluster', 'update', '--no-wait', '--json']);
  expect(JSON.parse(begun.out)).toMatchObject({ toImage: newer, status: 'requested' });
  expect((await ballast(['cluster', 'show'])).out).toContain(`, being replaced by ${newer}`);
  const cancelled = await ballast(['cluster', 'update', '--cancel']);
  expect(cancelled).toMatchObject({ code: 0, out: expect.stringMatching(/ to .+: cancelled\n$/) });
});

test('workflow list, show and history tell what goes on behind it', async () => {
  const actorId = `cluster/${clusterId}`;
  const page = { actorId, runId: 'one', page: 0, organizationId: ours.organizationId };
  await storeHistoryPage(api.database.kysely, api.keyring, {
    ...page,
    bytes: await recordedHistory('cluster-deleted'),
  });
  const [unknown, listed, shown, told] = await Promise.all([
    ballast(['workflow', 'list', '--kind', 'ship']),
    ballast(['workflow', 'list', '--kind', 'cluster', '--open']),
    ballast(['workflow', 'show', actorId]),
    ballast(['workflow', 'history', clusterId, '--tail', '3']),
  ]);
  // The help does not name the kinds, so the refusal does.
  expect(unknown.code).not.toBe(0);
  expect(unknown.err).toContain(`There is no kind "ship"; there is: ${actorKinds.join(', ')}.`);
  expect(listed.out).toMatch(new RegExp(`^${clusterId} +cluster +Berlin +`, 'm'));
  expect(shown.out).toMatch(/^now +(Waits to be started\.|Temporal does not know it)/m);
  expect(told.out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^at +what happened$/),
    expect.stringMatching(/The deletion of the cluster was requested$/),
    expect.stringMatching(/Deleted the cluster and everything in it +Its commands have ended/),
    expect.stringMatching(/Ended: the cluster was deleted$/),
  ]);
});

test('token prints nothing but the command to the standard output', async () => {
  const { code, out, err } = await ballast(['cluster', 'token', '--cluster', clusterId]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^printf '%s\\n' '\S+' \| sh -c ".+" ballast-install.*\n$/)]);
  expect(err).toContain('For the cluster berlin. Run this on the machine, before 20');
});

describe('what is wrong is told in a sentence', () => {
  test.each([
    [['cluster', 'show'], { BALLAST_TOKEN: '' }, 1, /^ballast: There is no API token: set BALLAST_TOKEN/],
    [['cluster', 'show'], { BALLAST_URL: 'http://127.0.0.1:1' }, 1, /does not answer \(.+\); start it with/],
    [['cluster', 'show'], { BALLAST_URL: 'http://ballast.example.com' }, 1, /would carry the token in clear text/],
    [['cluster', 'show', '--cluster', 'paris'], {}, 2, /There is no cluster "paris"; there is: berlin\.$/],
    [['cluster', 'apply'], {}, 2, /This command needs more words: FILE/],
    [['cluster', 'apply', '/nowhere'], {}, 2, /\/nowhere cannot be read \(ENOENT\)\.$/],
    [
      ['cluster', 'exec', 'nobody', '--', 'true'],
      {},
      1,
      /^ballast: instance: is no instance that the agent sees on this cluster\.$/,
    ],
    [
      ['cluster', 'show', '--token-file', '/dev/null'],
      {},
      1,
      /^ballast: The token file \/dev\/null is empty; `\.\/ballast token create …/,
    ],
    [
      ['cluster', 'show', '--token-file', '/nowhere'],
      {},
      1,
      /cannot be read \(ENOENT\); give --token-file another one/,
    ],
    [['cluster', 'show', '--url', 'ftp://here'], {}, 1, /is no address of a control plane; set BALLAST_URL or/],
    [['cluster', 'logs', 'nobody'], {}, 1, /There is no instance and no workload "nobody" there/],
    [['cluster', 'delete'], {}, 2, /Say which cluster by --cluster/],
    [['cluster', 'delete', '--cluster', 'berlin'], {}, 1, /still has .*"shop"/],
    [
      ['cluster', 'rollback', 'ballast-agent:none'],
      {},
      1,
      /^ballast: image: is no release that this cluster ran before/,
    ],
  ] as const)('%j with %j', async (words, env, code, sentence) => {
    const ended = await ballast([...words], { env });
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err.trimEnd()).toMatch(sentence);
    expect(ended.err).not.toContain('    at ');
  });

  test('a file that is no YAML, or that holds no workloads', async () => {
    const broken = await ballast(['cluster', 'apply', '-'], { input: 'workloads: [\n' });
    expect([broken.code, broken.err]).toEqual([2, expect.stringMatching(/cannot be read at line \d+, column \d+: /)]);
    const other = await ballast(['cluster', 'apply', '-'], { input: 'services: []\n' });
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('has no list of workloads')]);
    const wrong = await ballast(['cluster', 'apply', '-'], { input: file.replace('8080', '80800') });
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(/^ballast: "port" of process web of workload shop in the standard input: [^\n]+\.\n$/),
    ]);
  });
});
