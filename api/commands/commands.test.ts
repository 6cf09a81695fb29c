import { expect, test } from 'vitest';
import { observedSlice, PeerAgent } from '../../test/agents/peer-agent.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';

const hidden = 'correct-horse-battery-staple';

const { api, ours } = await ownApi();
const theirs = await api.organization();
const { body } = await admin('POST', '/api/v1/clusters', { name: 'Here' });
const { cluster, token } = body as { cluster: { id: string }; token: string };
const path = `/api/v1/clusters/${cluster.id}`;
const agent = new PeerAgent(api.url);
await agent.join(token);
await agent.report([
  observedSlice('workload/app', {
    instances: [{ id: 'web-1', process: 'web', release: 'one', node: 'one', state: 'ready', run: 1 }],
  }),
  observedSlice('left-over', {
    instances: [
      { id: 'old-1', process: 'old', release: 'one', node: 'one', state: 'draining', run: 1 },
      { id: 'old-2', process: 'old', release: 'one', node: 'one', state: 'draining', run: 1 },
    ],
  }),
]);

function admin(method: string, url: string, body?: unknown) {
  return api.call(method, url, { as: ours.tokens.admin, ...(body === undefined ? {} : { body }) });
}
const exec = (more: object = {}) =>
  admin('POST', `${path}/commands`, { kind: 'exec', instance: 'web-1', command: ['env', hidden], ...more });
const said = (number: number, text: string) => ({
  number,
  stream: 'stdout' as const,
  data: Buffer.from(text).toString('base64'),
});

test('a command is streamed while it runs, and again from a number on', async () => {
  const made = await exec();
  expect([made.status, made.body]).toMatchObject([202, { kind: 'exec', state: 'queued', cancelRequested: false }]);
  const place = `${path}/commands/${made.body.id}`;
  const stream = await readStream(api, `${place}/stream`, ours.tokens.admin);
  const { commands } = await agent.work(0);
  expect(commands).toMatchObject([{ id: made.body.id, body: { command: ['env', hidden], timeoutSeconds: 60 } }]);
  await agent.output(String(made.body.id), [said(0, 'one'), said(1, 'two')]);
  await until('it is streamed', async () => stream.events('output').length === 2);
  expect(stream.ended()).toBe(false);
  await agent.output(String(made.body.id), [said(1, 'two'), said(2, 'three')]);
  await agent.result(String(made.body.id), { exitCode: 7 });
  await until('it ends', async () => stream.ended());
  expect(stream.events('output').map(({ number }) => number)).toEqual([0, 1, 2]);
  expect(stream.events('finished')).toMatchObject([{ state: 'done', exitCode: 7 }]);
  const rest = await readStream(api, `${place}/stream?after=1`, ours.tokens.admin);
  await until('it ends', async () => rest.ended());
  expect(rest.events('output').map(({ data }) => Buffer.from(String(data), 'base64').toString())).toEqual(['three']);
  expect((await admin('GET', place)).body).toMatchObject({ state: 'done', exitCode: 7 });
  expect((await admin('DELETE', place)).status).toBe(409);
});

test('what is run is in no answer, no audit record, no log and no table in clear', async () => {
  const made = await exec();
  const audit = await admin('GET', '/api/v1/audit-log?action=cluster.exec');
  expect(audit.body.items).toMatchObject([{ details: { program: 'env', instance: 'web-1' } }, {}]);
  const refused = await exec({ instance: 'nobody' });
  expect([refused.status, refused.body.errors]).toMatchObject([422, [{ location: 'body.instance', value: 'nobody' }]]);
  const wrong = await exec({ command: ['env', hidden, 1], timeoutSeconds: 0 });
  expect(wrong.status).toBe(422);
  const rows = await api.rows.all('cluster_command');
  for (const text of [
    made.text,
    audit.text,
    refused.text,
    wrong.text,
    JSON.stringify(api.lines),
    JSON.stringify(rows),
  ]) {
    expect(text).not.toContain(hidden);
  }
  await admin('DELETE', `${path}/commands/${made.body.id}`);
});

test('a command that the agent has not taken is cancelled at once, another one when the agent says so', async () => {
  const queued = await exec();
  expect((await admin('DELETE', `${path}/commands/${queued.body.id}`)).body.state).toBe('cancelled');
  expect((await agent.work(0)).commands).toEqual([]);
  const taken = await exec();
  await agent.work(0);
  const cancelled = await admin('DELETE', `${path}/commands/${taken.body.id}`);
  expect(cancelled.body).toMatchObject({ state: 'delivered', cancelRequested: true });
  expect((await agent.work(0)).cancelled).toEqual([taken.body.id]);
  await agent.result(String(taken.body.id), { outcome: 'cancelled' });
  expect((await admin('GET', `${path}/commands/${taken.body.id}`)).body.state).toBe('cancelled');
});

test('restart names what there is', async () => {
  const restart = (more: object) => admin('POST', `${path}/commands`, { kind: 'restart', workload: 'app', ...more });
  expect((await restart({})).body.errors).toMatchObject([{ location: 'body.workload' }]);
  const process = { name: 'web', kind: 'worker' };
  await admin('PUT', `${path}/workloads/app`, { image: { layout: '/srv/app' }, processes: [process] });
  expect((await restart({ process: 'other' })).body.errors).toMatchObject([{ location: 'body.process' }]);
  const made = await restart({ process: 'web' });
  const { commands } = await agent.work(0);
  expect(commands).toMatchObject([
    { id: made.body.id, body: { kind: 'restart', key: 'workload/app', process: 'web' } },
  ]);
  await agent.result(String(made.body.id));
});

test('instances are listed page by page, those of nobody by their key', async () => {
  const first = await admin('GET', `${path}/instances?limit=2`);
  const second = await admin('GET', `${path}/instances?limit=2&cursor=${first.body.nextCursor}`);
  const items = [...(first.body.items as object[]), ...(second.body.items as object[])];
  expect(items).toMatchObject([
    { id: 'old-1', workload: 'left-over' },
    { id: 'old-2', workload: 'left-over' },
    { id: 'web-1', workload: 'app' },
  ]);
  expect(second.body).not.toHaveProperty('nextCursor');
});

test('a stream about what is not there, or not the reader’s, says so and closes', async () => {
  const made = await exec();
  for (const [url, as] of [
    [`${path}/commands/${made.body.id}/stream`, theirs.tokens.admin],
    [`${path}/commands/${crypto.randomUUID()}/stream`, ours.tokens.admin],
    [`${path}/instances/nobody/logs/stream`, ours.tokens.viewer],
  ] as const) {
    const stream = await readStream(api, url, as);
    await until('it is closed', async () => stream.ended());
    expect(stream.text()).toMatch(/: refused: .*no such/);
  }
  expect(api.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test('without an agent in contact nothing is asked of it', async () => {
  expect((await admin('DELETE', `${path}/agent`)).status).toBe(204);
  const refused = await admin('POST', `${path}/commands`, { kind: 'restart', workload: 'app' });
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('Lost contact with the agent')]);
});
