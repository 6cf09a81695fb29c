import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { actorId } from '../../domain/actors/actors.ts';
import { startActor } from '../../temporal/delivery/start-actor.ts';
import { api, as, get, history, log, ours, proxy, type Step, toldWorkflows } from '../../test/api/told-workflows.ts';
import { until } from '../../test/ground/until.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';
import { archiveFinished } from '../../worker/duties/archive.ts';
import { openMetrics } from '../../worker/host/metrics.ts';
import { historyStepSchema } from './workflow.ts';

async function made(name: string): Promise<string> {
  const { body } = await api.call('POST', '/api/v1/clusters', { ...as(), body: { name } });
  return (body.cluster as { id: string }).id;
}

const handle = (id: string) => api.temporal.client.workflow.getHandle(actorId('cluster', id));

const stateIs = (id: string, state: string) =>
  until(`it is ${state}`, async () => (await get(`/${id}`)).state === state);

toldWorkflows();

test('what it waits for, and what it tries in vain', async () => {
  const id = await made('Trying');
  const started = await until('it waits', async () => {
    const detail = await get(`/${id}`);
    return detail.runs === 1 && (detail.pending as object[]).length === 0 && detail;
  });
  expect(started).toMatchObject({
    kind: 'cluster',
    name: 'Trying',
    historySource: 'live',
    pending: [],
    waitingFor: 'Waits for an agent to enrol and connect.',
  });
  await api.sql`alter table cluster_event rename to cluster_event_away`;
  await handle(id).signal('connected', { id: 'c', body: { version: '0.1.0' } });
  const trying = await until('it was tried twice', async () => {
    const detail = await get(`/${id}`);
    const [pending] = detail.pending as { attempt: number }[];
    return (pending?.attempt ?? 0) > 1 && detail;
  });
  expect(trying).toMatchObject({
    pending: [
      { what: 'Tries to record that the cluster is ready', lastFailure: expect.stringMatching(/cluster_event/) },
    ],
    waitingFor: expect.stringMatching(/^Tries to record that the cluster is ready: it failed .*, and it is/),
  });
  expect((await history(id)).at(-1)).toMatchObject({
    outcome: 'waiting',
    failure: expect.stringMatching(/cluster_event/),
  });
  await api.sql`alter table cluster_event_away rename to cluster_event`;
  await stateIs(id, 'ready');
  const [newest, ...before] = await history(id, '&order=newest&raw=true');
  // Written down with the message that caused it, and only there.
  expect(newest).toMatchObject({
    ...{ kind: 'heard', title: 'The agent connected', detail: 'It runs 0.1.0.' },
    ...{ state: 'ready', stateTitle: 'Ready', outcome: 'retried', tone: 'attention' },
    failure: expect.stringMatching(/cluster_event/),
    attempts: expect.toSatisfy((times: number) => times > 1),
  });
  expect(newest?.events?.slice(0, 2)).toMatchObject([
    { type: 'WorkflowExecutionSignaled', attributes: { signalName: 'connected' } },
    { type: 'ActivityTaskScheduled' },
  ]);
  expect((await history(id, '&failures=true')).map(({ title }) => title)).toEqual(['The agent connected']);
  expect((await history(id, '&q=STARTED%20with')).map(({ kind }) => kind)).toEqual(['started']);
  const { stages, about } = await get(`/${id}`);
  expect(about).toBe('Follows the cluster until its deletion.');
  expect(stages).toMatchObject([
    { title: 'Waiting for its agent', outcome: 'done', durationMs: expect.any(Number) },
    { title: 'Ready', outcome: 'running', tone: 'good' },
  ]);
  // Nothing of the machinery, nothing that is encrypted.
  expect(JSON.stringify([newest, before])).not.toMatch(/identity|taskQueue|encoding|stackTrace|\.ts:/);
});

test('an actor that lives long: its history is whole, from the archive and from Temporal, and stays so after its end', async () => {
  const { organizationId } = ours;
  // With short runs, which no operation asks for.
  const cluster = uuid();
  await api.rows.add('cluster', { id: cluster, organization_id: organizationId, name: 'Short', slug: cluster });
  const author = { kind: 'user', id: 'u', name: 'Ada' };
  const input = { clusterId: cluster, organizationId, eventsPerRun: 16 };
  await startActor(api.temporal, { kind: 'cluster', rowId: cluster, organizationId, state: 'ready', author, input });
  let told = 0;
  for (; Number((await get(`/${cluster}`)).runs) < 3; told += 1) {
    const [word, state] = told % 2 === 0 ? ['lost', 'lost'] : ['back', 'ready'];
    await handle(cluster).signal(word, { id: `word ${told}`, body: {} });
    await stateIs(cluster, state);
  }
  // While it goes on: earlier runs from the archive, the last one from Temporal.
  const soFar = await history(cluster);
  expect(soFar[0]).toMatchObject({ id: '1-1', run: 1, kind: 'started', title: 'Started by Ada' });
  expect(soFar.filter(({ kind }) => kind === 'heard')).toHaveLength(told);
  await handle(cluster).signal('deleting', { id: 'end', body: {} });

  const over = await until('it has ended', async () => {
    const steps = await history(cluster, '&raw=true');
    return steps.at(-1)?.kind === 'ended' && steps;
  });
  expect(historyStepSchema.array().parse(over)).toEqual(over);
  expect(over.at(-1)).toMatchObject({ kind: 'ended', title: 'Ended: the cluster was deleted' });
  const runs = over.at(-1)?.run ?? 0;
  expect(runs).toBeGreaterThan(2);
  expect(over.filter(({ kind }) => kind === 'continued')).toHaveLength(runs - 1);
  const ids = (steps: Step[]) => steps.map((step) => step.id);
  expect(new Set(ids(over)).size).toBe(over.length);
  expect(ids(over).slice(0, soFar.length)).toEqual(ids(soFar));
  expect(ids(await history(cluster, '', 7))).toEqual(ids(over));
  expect(ids(await history(cluster, '&order=newest', 7))).toEqual(ids(over).toReversed());
  const { database, keyring, temporal } = api;
  await until('it is archived', async () => {
    await archiveFinished({ database, keyring, temporal, log, metrics: openMetrics(undefined) });
    return (await get(`/${cluster}`)).historySource === 'archive';
  });

  // While Temporal is away, what is in the archive can be read, and what is not is not told wrongly.
  const living = await made('Living');
  await until('it is started', async () => (await get(`/${living}`)).runs === 1);
  await proxy.cut();
  expect(await history(cluster, '&raw=true')).toEqual(over);
  expect(await get(`/${cluster}`)).toMatchObject({ open: false, pending: [], waitingFor: '', runs });
  // The row answers without Temporal; the rest needs it back.
  expect(await get(`/${living}`)).toMatchObject({
    open: true,
    pending: [],
    waitingFor: expect.stringContaining('again'),
  });
  const away = await api.call('GET', `/api/v1/workflows/${living}/history`, as());
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
  expect(away.body.detail).toContain('cannot be reached');
  await proxy.restore();
  await until('Temporal is reached again', async () => {
    const { status } = await api.call('GET', `/api/v1/workflows/${living}/history`, as());
    return status === 200;
  });

  // A page that was altered is said to be one; all the others are told.
  const { runId } = await api.database.kysely
    .selectFrom('history_archive')
    .select('run_id as runId')
    .where('actor_id', '=', actorId('cluster', cluster))
    .orderBy('created_at')
    .limit(1)
    .offset(1)
    .executeTakeFirstOrThrow();
  await api.rows.set(
    'history_archive',
    { run_id: runId },
    { bytes: sql`set_byte(bytes, length(bytes) - 1, get_byte(bytes, length(bytes) - 1) # 1)` },
  );
  const broken = await history(cluster, '&raw=true');
  expect(broken.filter(({ run }) => run === 2)).toMatchObject([
    {
      kind: 'other',
      outcome: 'failed',
      title: 'A part of the history cannot be read',
      detail: expect.stringContaining(runId),
    },
  ]);
  expect(broken.filter(({ run }) => run !== 2)).toEqual(over.filter(({ run }) => run !== 2));
  expect(api.lines.some(({ level, msg }) => level === 50 && msg === 'A page of the archive cannot be read')).toBe(true);
});

test('one that was over before it began says so', async () => {
  const id = uuid();
  const over = { id, state: 'cancelled', revision: 1, finished_at: new Date() };
  await tenantRow(api.database, 'build', ours.organizationId, over);
  expect(await get(`/${id}`)).toMatchObject({
    outcome: 'cancelled',
    message: 'It was decided before the workflow began, so there is no history.',
    stages: [],
  });
  expect(await history(id)).toEqual([]);
});

test('the owner reads the history of a deletion, and a stranger never', async () => {
  const gone = await api.organization();
  const stranger = await api.organization();
  const { organizationId, slug } = gone;
  const owner = { as: gone.sessions.owner, organization: '' };
  const removed = await gone.sessions.owner.delete(`/organizations/${organizationId}`, { confirmSlug: slug });
  expect(removed.status).toBe(204);
  const deleted = await api.call('GET', '/api/v1/deleted-organizations', owner);
  const [{ id } = { id: '' }] = deleted.body.items as { id: string }[];
  const history = async (as: typeof owner) => await api.call('GET', `/api/v1/deleted-organizations/${id}/history`, as);
  const before = await until('its history begins', async () => {
    const answered = await history(owner);
    return answered.status === 200 && (answered.body.items as Step[]).length > 1 && answered.body;
  });
  expect((before.items as Step[])[0]?.title).toMatch(/^Started by /);
  expect((await history({ as: stranger.sessions.owner, organization: '' })).status).toBe(404);
});
