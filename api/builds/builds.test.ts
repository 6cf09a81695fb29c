import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askAgent, lockBuild } from '../../db/builds/claim.ts';
import { commandBody } from '../../protocol/command.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { type Organization, ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { seedSource } from '../../test/builds/seed-source.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

let api: RunningApi;
let ours: Organization;
let agent: PeerAgent;
let clusterId: string;
let place: SeededPlace;

beforeAll(async () => {
  api = await runningApi();
  ours = await api.organization();
  const made = await call('POST', '/clusters', { name: 'Here' });
  const { cluster, token } = made.body as { cluster: { id: string }; token: string };
  clusterId = cluster.id;
  agent = new PeerAgent(api.url);
  await agent.join(token);
});
afterAll(() => api.close());
beforeEach(async () => {
  place = await ours.place();
  running = async (id) => {
    await api.rows.set('build', { id }, { cluster_id: clusterId });
    await api.effect(async (asking) => {
      const build = await lockBuild(asking, id);
      if (build === undefined) throw new Error('The build is not there.');
      await askAgent(asking, api.keyring, build);
      await asking.kysely.updateTable('build').set({ state: 'running', revision: 1 }).where('id', '=', id).execute();
    });
  };
});

/** As its actor would: the agent of the cluster is asked. */
let running: (id: string) => Promise<void>;

const call = (method: string, path: string, body?: unknown, as = ours.tokens.admin) => as.call(method, path, body);
const request = async (): Promise<string> => {
  const sourceId = await seedSource(api.database, place);
  const body = { environmentId: place.environmentId, sourceId };
  return String(ok(await call('POST', `/services/${place.serviceId}/builds`, body, ours.tokens.deployer), 201).id);
};
const piece = (number: number, stream: 'stdout' | 'progress', text: string) => ({
  number,
  stream,
  data: Buffer.from(text).toString('base64'),
});
const lines = async (id: string, query = '') => {
  const { status, body, text } = await call('GET', `/builds/${id}/logs${query}`);
  expect(status, text).toBe(200);
  return body as { items: { seq: number; text: string }[]; nextCursor?: string };
};

test('a build is numbered within its service and listed, newest first', async () => {
  const [first, second] = [await request(), await request()];
  const { body } = await call('GET', `/services/${place.serviceId}/builds`);
  expect((body.items as { id: string; number: number }[]).map(({ id, number }) => [id, number])).toEqual([
    [second, 2],
    [first, 1],
  ]);
  const queued = await call('GET', '/builds?status=queued&limit=1');
  expect(queued.body).toMatchObject({ items: [{ id: second, status: 'queued', trigger: 'upload', deploys: true }] });
  expect((await call('GET', '/builds?status=failed')).body.items).toEqual([]);
});

test('the agent gets a command that it understands', async () => {
  const id = await request();
  await running(id);
  const { commands } = await agent.work(0);
  const command = commands.find((one) => one.id === id);
  const parsed = commandBody.parse(command?.body);
  expect(parsed).toMatchObject({ kind: 'build', builder: 'auto', source: { kind: 'upload' } });
});

test('limits that the service has set are in the command, and those that it leaves to the machine are named', async () => {
  const buildLimits = JSON.stringify({ memoryBytes: 2 ** 32 });
  await ours.rows.set(
    'environment_service',
    { service_id: place.serviceId },
    { settings: sql`jsonb_set(settings, '{source,buildLimits}', ${buildLimits}::jsonb)` },
  );
  const id = await request();
  await running(id);
  const { commands } = await agent.work(0);
  expect(commandBody.parse(commands.find((one) => one.id === id)?.body)).toMatchObject({
    ...{ limits: { memoryBytes: 2 ** 32, seconds: 3_600 }, unset: ['diskBytes', 'seconds'] },
  });
});

describe('the log', () => {
  test('pieces that come twice or in another request change nothing, and lines are numbered without gaps', async () => {
    const id = await request();
    await running(id);
    await agent.work(0);
    await agent.output(id, [piece(0, 'stdout', 'one\ntwo\n'), piece(1, 'stdout', 'three\n')]);
    await agent.output(id, [piece(1, 'stdout', 'three\n'), piece(2, 'stdout', 'four, unended')]);
    await agent.output(id, [piece(0, 'stdout', 'one\ntwo\n')]);
    const all = await lines(id);
    expect(all.items.map(({ seq, text }) => `${seq} ${text}`)).toEqual([
      '1 one',
      '2 two',
      '3 three',
      '4 four, unended',
    ]);
    const page = await lines(id, '?limit=3');
    expect(page.items.at(-1)).toMatchObject({ seq: 3 });
    expect((await lines(id, `?limit=3&cursor=${page.nextCursor}`)).items).toMatchObject([{ seq: 4 }]);
    const rows = await ours.rows.all('build_log_chunk', { build_id: id });
    expect(rows.map(({ sealed }) => sealed.includes('three'))).toEqual([false, false, false]);
  });

  test('it is streamed as it comes, and again from a line on, until the build is over', async () => {
    const id = await request();
    await running(id);
    await agent.work(0);
    const stream = await readStream(api, `/api/v1/builds/${id}/logs/stream`, ours.tokens.viewer);
    await agent.output(id, [piece(0, 'stdout', 'one\ntwo\n')]);
    await until('two lines', async () => stream.events('log').length === 2);
    await agent.output(id, [piece(1, 'stdout', 'three\n')]);
    await api.rows.set('build', { id }, { state: 'failed', finished_at: new Date() });
    await until('it ends', async () => stream.ended());
    expect(stream.events('log').map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const rest = await readStream(api, `/api/v1/builds/${id}/logs/stream?after=2`, ours.tokens.viewer);
    await until('it ends', async () => rest.ended());
    expect(rest.events('log').map(({ text }) => text)).toEqual(['three']);
  });
});

test('what the agent reports is shown; a report that makes no sense is left out', async () => {
  const id = await request();
  await running(id);
  await agent.work(0);
  const at = new Date().toISOString();
  const steps = [{ name: 'fetch', status: 'succeeded', startedAt: at, finishedAt: at }];
  await agent.output(id, [
    piece(
      0,
      'progress',
      JSON.stringify({ engine: 'auto', steps: [{ name: 'fetch', status: 'running', startedAt: at }] }),
    ),
    piece(1, 'progress', 'no JSON'),
    piece(2, 'progress', JSON.stringify({ steps, cache: { cachedSteps: 1, totalSteps: 2 } })),
    piece(3, 'progress', JSON.stringify({ steps: 'many' })),
    piece(
      4,
      'progress',
      JSON.stringify({ commit: { message: `Say \u202ehello\u0007\u001b ${'x'.repeat(600)}\nmore` } }),
    ),
  ]);
  await agent.output(id, [piece(5, 'progress', JSON.stringify({ commit: { message: 'Another one' } }))]);
  const { body } = await call('GET', `/builds/${id}`);
  expect(body).toMatchObject({
    status: 'running',
    builder: { engine: 'auto' },
    steps,
    cache: { cachedSteps: 1, totalSteps: 2 },
    commitMessage: `Say hello ${'x'.repeat(489)}…`,
  });
});

test('what the source says to run besides the start is shown; agents and rows of before say nothing of it', async () => {
  const id = await request();
  await running(id);
  await agent.work(0);
  const texts = ['provider', 'framework', 'packageManager', 'packageManagerPinned', 'nodeVersion', 'installCommand'];
  const more = ['buildCommand', 'startCommand', 'outputDir', 'portSource'];
  const before = {
    ...Object.fromEntries([...texts, ...more].map((name) => [name, ''])),
    ...{ port: 0, static: false, monorepo: false, buildable: true, signals: [] },
  };
  const found = async () => ((await call('GET', `/builds/${id}`)).body.builder as { detection: object }).detection;
  const said = (number: number, detection: object) =>
    agent.output(id, [piece(number, 'progress', JSON.stringify({ detection }))]);
  const nothing = { ...before, envTemplate: '', requiredVariables: [], proposed: [] };
  await said(0, before);
  expect(await found()).toEqual(nothing);
  const proposed = [{ name: 'worker', line: 'node w.js', command: ['node', 'w.js'] }];
  const now = { ...before, envTemplate: '.env.example', requiredVariables: ['DATABASE_URL'], proposed };
  await said(1, now);
  expect(await found()).toEqual(now);
  await api.rows.set('build', { id }, { builder: JSON.stringify({ detection: before }) as never });
  expect(await found()).toEqual(nothing);
});

test('a build ends with its service: it is cancelled and found no more', async () => {
  const id = await request();
  ok(await call('DELETE', `/services/${place.serviceId}`), 204);
  expect((await call('GET', `/builds/${id}`)).status).toBe(404);
  expect(await api.rows.find('build', { id })).toMatchObject({ state: 'cancelled' });
});

test('what was said and accepted when a build was requested holds for its retry, too', async () => {
  const sourceId = await seedSource(api.database, place);
  const body = { environmentId: place.environmentId, sourceId, downtimeAccepted: true, message: ' A faster checkout ' };
  const made = await call('POST', `/services/${place.serviceId}/builds`, body, ours.tokens.deployer);
  const kept = { downtimeAccepted: true, message: 'A faster checkout' };
  expect(made.body).toMatchObject(kept);
  await call('POST', `/builds/${made.body.id}/cancel`);
  expect((await call('POST', `/builds/${made.body.id}/retry`)).body).toMatchObject(kept);
});

test('409: retrying one that is not over, cancelling one that is; 422: the source of another service', async () => {
  const id = await request();
  expect((await call('POST', `/builds/${id}/retry`)).status).toBe(409);
  expect((await call('POST', `/builds/${id}/cancel`)).body).toMatchObject({ status: 'cancelled' });
  expect((await call('POST', `/builds/${id}/cancel`)).status).toBe(409);
  const retried = await call('POST', `/builds/${id}/retry`);
  const same = { retryOf: id, downtimeAccepted: false };
  expect(retried.body).toMatchObject({ status: 'queued', trigger: 'retry', number: 2, ...same });
  const other = await ours.place({ beside: place });
  const body = { environmentId: place.environmentId, sourceId: await seedSource(api.database, other) };
  expectProblem(await call('POST', `/services/${place.serviceId}/builds`, body), 422, [{ location: 'body.sourceId' }]);
});
