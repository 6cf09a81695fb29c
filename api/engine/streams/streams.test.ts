import { afterAll, afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type ReadStream, readStream } from '../../../test/ground/read-stream.ts';
import { until } from '../../../test/ground/until.ts';
import { type RunningApi, runningApi } from '../../../test/installation/running-api.ts';
import { operations } from '../../operations.ts';
import { operation } from '../operation.ts';
import { type Clocks, specifiedClocks } from './clocks.ts';

const path = '/api/v1/events/stream';
/** No check comes within a test: a stream that ends was told to. */
const clocks: Clocks = { ...specifiedClocks, heartbeat: { organization: 100, other: 50 }, recheck: 3_600_000 };

/** The deployment and log streams come with their subjects; what holds for them is tested with this one. */
const streamNothing = operation({
  method: 'GET',
  url: '/api/v1/nothing/stream',
  summary: 'Nothing',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  stream: { kind: 'other', events: { nothing: z.object({}) } },
  async *handle({ signal }) {
    yield { event: 'nothing', data: {}, id: '1', retry: 500 };
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  },
});
/** One that checks credentials often; the others leave it to the feed. */
const opened: ReadStream[] = [];

const api = await runningApi({ clocks, operations: { ...operations, nothing: { stream: streamNothing } } });
const twin = await api.twin();
const checking = await api.twin({ ...clocks, recheck: 300 });
const ours = await api.organization();
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.stop();
  await until('all leases are released', async () => {
    const rows = await api.rows.all('stream_lease');
    return rows.length === 0;
  });
});
afterAll(async () => {
  await checking.close();
  await twin.close();
  await api.close();
});

async function open(at: RunningApi, as = ours.tokens.viewer, where = path): Promise<ReadStream> {
  const stream = await readStream(at, where, as);
  opened.push(stream);
  return stream;
}
/** While a transaction is open anywhere on the server, a stream may also tell what was made just before it was opened. */
const teamsIn = (stream: ReadStream) => stream.events('change').filter((change) => change.kind === 'team');
const makeTeam = (name: string, as = ours.tokens.admin) => as.post('/teams', { name });

test('a change reaches the readers of its organization in every process, and nobody else', async () => {
  const theirs = await api.organization();
  const [here, there, stranger] = [await open(api), await open(twin), await open(api, theirs.tokens.viewer)];
  const { body: team } = await makeTeam('Heard');
  for (const stream of [here, there]) {
    await until('the change', async () => teamsIn(stream).length > 0);
    expect(teamsIn(stream)).toEqual([{ kind: 'team', id: team.id }]);
  }
  const { body: foreign } = await makeTeam('Foreign', theirs.tokens.admin);
  await until('their change', async () => teamsIn(stranger).length > 0);
  expect(teamsIn(stranger)).toEqual([{ kind: 'team', id: foreign.id }]);
  expect(teamsIn(here)).toHaveLength(1);
});

test('a token that is limited to projects hears of those only', async () => {
  const projectId = crypto.randomUUID();
  const [mine, other] = [projectId, crypto.randomUUID()];
  const limited = await ours.token('viewer', [projectId]);
  const stream = await open(api, limited);
  const hint = (project: string) => ({
    organization_id: ours.organizationId,
    kind: 'workload',
    subject_id: project,
    project_id: project,
  });
  await api.rows.add('change_feed', hint(other), hint(mine));
  await until('the change', async () => stream.events('change').length > 0);
  expect(stream.events('change')).toEqual([{ kind: 'workload', id: mine, projectId: mine }]);
});

test('who may not list the tokens does not hear of them', async () => {
  const [viewer, admin] = [await open(api), await open(api, ours.sessions.admin)];
  const token = await ours.token('viewer');
  const { body: team } = await makeTeam('After the token');
  for (const stream of [viewer, admin]) await until('the team', async () => stream.text().includes(String(team.id)));
  expect(viewer.text()).not.toContain(token.id);
  expect(admin.text()).toContain(token.id);
});

test('it is framed and typed as promised, with a heartbeat', async () => {
  const stream = await open(api, ours.tokens.viewer, '/api/v1/nothing/stream');
  await until('a heartbeat', async () => stream.text().includes(': heartbeat\n\n'));
  expect(stream.text().startsWith(': open\n\nevent: nothing\nid: 1\nretry: 500\ndata: {}\n\n')).toBe(true);
});

test('a stream after a position tells what changed since, once each, and nothing that was there before', async () => {
  const position = async (as = ours.sessions.admin) => String((await as.get('/auth/session')).body.position);
  const after = (at: string) => `${path}?after=${encodeURIComponent(at)}`;
  const before = await makeTeam('Before the position');
  const from = await position();
  const { body: missed } = await makeTeam('Missed');
  const stream = await open(api, ours.sessions.admin, after(from));
  const { body: later } = await makeTeam('Later');
  await until('both', async () => teamsIn(stream).some(({ id }) => id === later.id));
  expect(teamsIn(stream).map(({ id }) => id)).toEqual([missed.id, later.id]);
  expect(stream.text()).not.toContain(String(before.body.id));
  expect(stream.events('resync')).toEqual([]);
});

test('a position is good for its person, for an hour and for five hundred changes; otherwise all is to be asked again', async () => {
  const { body } = await ours.sessions.admin.get('/auth/session');
  const after = (at: unknown) => `${path}?after=${encodeURIComponent(String(at))}`;
  const resyncs = async (stream: ReadStream) => {
    await until('a resync', async () => stream.events('resync').length > 0);
    stream.stop();
  };
  await resyncs(await open(api, ours.sessions.viewer, after(body.position)));
  await resyncs(await open(api, ours.sessions.admin, after('made up')));
  const rows = Array.from({ length: 501 }, (_, number) => ({
    organization_id: ours.organizationId,
    kind: 'team',
    subject_id: `${number}`,
  }));
  await api.rows.add('change_feed', ...rows);
  await resyncs(await open(api, ours.sessions.admin, after(body.position)));
});

test('a reader has a faster heartbeat within its bounds, and no slower one', async () => {
  const slow = await api.twin({ ...clocks, heartbeat: { organization: 3_600_000, other: 3_600_000 } });
  try {
    const stream = await open(slow, ours.tokens.viewer, `${path}?heartbeat=1`);
    await until('a heartbeat', async () => stream.text().includes(': heartbeat\n\n'));
    for (const heartbeat of ['0', '16', '0.5', '-1', 'often', '1e3']) {
      const refused = await api.call('GET', `${path}?heartbeat=${heartbeat}`, { as: ours.tokens.viewer });
      expect([heartbeat, refused.status]).toEqual([heartbeat, 422]);
    }
  } finally {
    for (const stream of opened.splice(0)) stream.stop();
    await slow.close();
  }
});

test.each([
  [path, 8, 'organization streams'],
  ['/api/v1/nothing/stream', 4, 'streams'],
])('%s: one more than %d of one credential is refused, across processes', async (where, limit, what) => {
  for (let index = 0; index < limit; index += 1) await open(index % 2 === 0 ? api : twin, ours.tokens.admin, where);
  for (const at of [api, twin]) {
    const refused = await open(at, ours.tokens.admin, where);
    await until('it ends', async () => refused.ended());
    expect(refused.status).toBe(200);
    expect(refused.text()).toMatch(new RegExp(`^: refused: .*${limit} ${what}.*\n\n$`));
  }
  // Another credential and another kind are counted by themselves.
  expect((await open(api, ours.tokens.viewer, where)).text()).toContain(': open');
  opened[0]?.stop();
  await until('a place is free', async () => (await open(twin, ours.tokens.admin, where)).text().includes(': open'));
});

test('a revoked token closes its streams in every process', async () => {
  const token = await ours.token('viewer');
  const streams = [await open(api, token), await open(twin, token)];
  const kept = await open(api);
  await ours.tokens.admin.delete(`/api-tokens/${token.id}`);
  await until('they end', async () => streams.every((stream) => stream.ended()));
  expect(kept.ended()).toBe(false);
});

test('with the feed silent, the next check closes it', async () => {
  const token = await ours.token('viewer');
  const stream = await open(checking, token);
  // Written past the effect: no entry of the feed tells of it.
  await api.rows.set('api_token', { id: token.id }, { revoked_at: new Date() });
  await until('it ends', async () => stream.ended());
});

test('another role closes the streams of a session', async () => {
  const { userId } = ours.sessions.deployer;
  const stream = await open(checking, ours.sessions.deployer);
  const kept = await open(checking, ours.sessions.viewer);
  await api.rows.set('membership', { user_id: userId, organization_id: ours.organizationId }, { role: 'viewer' });
  await until('it ends', async () => stream.ended());
  expect(kept.ended()).toBe(false);
});

test('a deleted organization closes its streams', async () => {
  const gone = await api.organization();
  const streams = [await open(api, gone.tokens.viewer), await open(twin, gone.sessions.viewer)];
  await gone.sessions.owner.delete(`/organizations/${gone.organizationId}`, { confirmSlug: gone.slug });
  await until('they end', async () => streams.every((stream) => stream.ended()));
});

test('a stream ends with its lifetime, and when the process stops', async () => {
  const short = await api.twin({ ...clocks, lifetime: { organization: 300, other: 300 } });
  const ending = await readStream(short, path, ours.tokens.viewer);
  await until('it ends', async () => ending.ended());
  await short.close();

  const stopping = await api.twin();
  const stream = await readStream(stopping, path, ours.tokens.viewer);
  // The close does not wait for the half hour that the stream could last.
  await stopping.close();
  await until('it ends', async () => stream.ended());
});
