import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { requestClusterDeletion } from '../../db/clusters/cluster-deletion.ts';
import { listClusterEvents } from '../../db/clusters/cluster-events.ts';
import { type ClusterRef, createCluster } from '../../db/clusters/clusters.ts';
import { deleteOrganization } from '../../db/deletions/deletions.ts';
import { readHistory } from '../../db/engine/archive/history-archive.ts';
import { effect } from '../../db/engine/effect.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import { actorStart } from '../../db/workflows/actor-rows.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { startActor } from '../../temporal/delivery/start-actor.ts';
import { actorsGround, tester } from '../../test/actors/actors.ts';
import { until } from '../../test/ground/until.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { archiveFinished } from '../../worker/duties/archive.ts';
import { mendActor } from '../../worker/duties/mend-actor.ts';
import { openRows } from '../../worker/duties/open-rows.ts';
import { openMetrics } from '../../worker/host/metrics.ts';
import type { ClusterView } from './state.ts';

const ground = await actorsGround();
const stopServing = await ground.serve();
const organizationId = await seedOrganization(ground.database);

afterAll(async () => {
  await stopServing();
  await ground.close();
});

const create = () =>
  effect(ground.database, tester, (making) => createCluster(making, { organizationId, name: `c-${uuid()}` }));
const actorOf = ({ id }: ClusterRef) => actorId('cluster', id);
const handle = (cluster: ClusterRef) => ground.temporal.client.workflow.getHandle(actorOf(cluster));
const row = ({ id }: ClusterRef) =>
  ground.database.kysely.selectFrom('cluster').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const stateIs = (cluster: ClusterRef, state: string) =>
  until(`the cluster is ${state}`, async () => (await row(cluster)).state === state);
const events = async ({ id }: ClusterRef) =>
  (await listClusterEvents(ground.database.kysely, organizationId, { clusterId: id, limit: 500 })).map(
    ({ kind }) => kind,
  );

async function tell(cluster: ClusterRef, message: string, body: JsonObject = {}): Promise<void> {
  await effect(ground.database, tester, async (telling) =>
    telling.tell({ to: actorOf(cluster), message, organizationId, body }),
  );
  await ground.delivery.deliver(actorOf(cluster));
}

test('it says what state the cluster is in, tells each event once, and ends with its deletion', async () => {
  const cluster = await create();
  await tell(cluster, 'enrolled', { at: '2030-01-01T00:00:00.000Z', hostname: 'one' });
  await tell(cluster, 'connected');
  await stateIs(cluster, 'ready');
  await tell(cluster, 'trouble', { text: 'No image.' });
  await stateIs(cluster, 'degraded');
  expect(await row(cluster)).toMatchObject({ message: 'No image.' });
  await handle(cluster).signal('lost', { id: 'twice', body: {} });
  await handle(cluster).signal('lost', { id: 'twice', body: {} });
  await stateIs(cluster, 'lost');
  expect(await handle(cluster).query<ClusterView>('view')).toMatchObject({ state: 'lost', trouble: 'No image.' });
  await effect(ground.database, tester, (deleting) => requestClusterDeletion(deleting, cluster));
  // A word that was under way does not undo the decision.
  await handle(cluster).signal('back', { id: 'late', body: {} });
  await until('it is heard', async () => (await events(cluster)).includes('agent.reconnected'));
  expect(await row(cluster)).toMatchObject({ state: 'deleting' });
  await ground.delivery.deliver(actorOf(cluster));
  expect(await handle(cluster).result()).toBe('deleted');
  expect(await row(cluster)).toMatchObject({ state: 'deleted' });
  const told = await events(cluster);
  expect(told.toSorted()).toEqual(
    ['agent.enrolled', 'agent.connected', 'cluster.degraded', 'agent.lost', 'agent.reconnected'].toSorted(),
  );
});

test('it ends with its organization, which was purged', async () => {
  const doomed = await seedOrganization(ground.database);
  const cluster = await effect(ground.database, tester, (making) =>
    createCluster(making, { organizationId: doomed, name: 'Doomed' }),
  );
  await ground.delivery.deliver(actorOf(cluster));
  const deletion = await effect(ground.database, tester, async (deleting) => {
    await deleting.kysely
      .updateTable('organization')
      .set({ deleted_retention_hours: 0 })
      .where('id', '=', doomed)
      .execute();
    return await deleteOrganization(deleting, doomed);
  });
  const purge = actorId('deletion', deletion?.deletionId ?? '');
  await ground.delivery.deliver(purge);
  expect(await ground.temporal.client.workflow.getHandle(purge).result()).toBe('purged');
  await ground.delivery.deliver(actorOf(cluster));
  expect(await handle(cluster).result()).toBe('deleted');
});

test('lost, it is started again with what its row says', async () => {
  const cluster = await create();
  await tell(cluster, 'connected');
  await stateIs(cluster, 'ready');
  await ground.database.kysely
    .updateTable('cluster_agent')
    .set({ contact: 'connected', told_trouble: 'No image.' })
    .where('cluster_id', '=', cluster.id)
    .execute();
  const start = await actorStart(ground.database.kysely, 'cluster', cluster.id);
  expect(start?.input).toMatchObject({
    clusterId: cluster.id,
    state: 'ready',
    revision: 1,
    known: { contact: 'connected', trouble: 'No image.', updateId: null, deleting: false, revision: 1 },
  });
  await handle(cluster).terminate();
});

test('under messages that never stop it goes on in a new run, and takes along what waits', async () => {
  const cluster = await create();
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', actorOf(cluster)).execute();
  const input = { clusterId: cluster.id, organizationId, eventsPerRun: 30 };
  const actor = { kind: 'cluster', rowId: cluster.id, organizationId, state: 'awaiting-agent', author: {} } as const;
  await startActor(ground.temporal, { ...actor, input });
  const first = (await handle(cluster).describe()).runId;
  const told = Array.from({ length: 10 }, (_, time) => ({ id: `word ${time}`, body: { text: `No ${time}.` } }));
  await Promise.all(told.map((word) => handle(cluster).signal('trouble', word)));
  await until('all is heard', async () => (await row(cluster)).revision === 10);
  expect(await handle(cluster).query<ClusterView>('view')).toMatchObject({ revision: 10 });
  const runs = ground.temporal.client.workflow.getHandle(actorOf(cluster), first);
  const { events: history } = await runs.fetchHistory();
  expect(history?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes).toBeTruthy();
  // The messages before the mailbox was full, and the small cost of the next one.
  expect(history?.length).toBeLessThan(60);
  await handle(cluster).terminate();
});

test('it goes on in a new run when its history is long, and no run is missing from the archive', async () => {
  const cluster = await create();
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', actorOf(cluster)).execute();
  const input = { clusterId: cluster.id, organizationId, eventsPerRun: 24 };
  const actor = {
    kind: 'cluster',
    rowId: cluster.id,
    organizationId,
    state: 'awaiting-agent',
    input,
    author: {},
  } as const;
  await startActor(ground.temporal, actor);
  await tell(cluster, 'connected');
  const runs = new Set<string>();
  for (let time = 0; time < 4; time += 1) {
    await handle(cluster).signal('lost', { id: `lost ${time}`, body: {} });
    await handle(cluster).signal('back', { id: `back ${time}`, body: {} });
    await until('both are heard', async () => (await events(cluster)).length === 2 * time + 3);
    runs.add((await handle(cluster).describe()).runId);
  }
  expect(runs.size).toBeGreaterThan(2);
  // Heard in an earlier run, it is still known.
  await handle(cluster).signal('lost', { id: 'lost 3', body: {} });
  await tell(cluster, 'trouble', { text: null });
  await stateIs(cluster, 'ready');
  await effect(ground.database, tester, (deleting) => requestClusterDeletion(deleting, cluster));
  await ground.delivery.deliver(actorOf(cluster));
  expect(await handle(cluster).result()).toBe('deleted');
  expect(await events(cluster)).toHaveLength(9);

  const archived = async () => {
    const runs: string[] = [];
    for await (const { runId } of readHistory(ground.database.kysely, ground.keyring, actorOf(cluster))) {
      if (runs.at(-1) !== runId) runs.push(runId);
    }
    return runs;
  };
  const metrics = openMetrics(undefined);
  const before = await archived();
  expect(before).toEqual(expect.arrayContaining([...runs].slice(0, -1)));
  const { database, keyring, temporal, log } = ground;
  await until('the last run is archived', async () => {
    await archiveFinished({ database, keyring, temporal, log, metrics });
    return (await row(cluster)).archived_at !== null;
  });
  const { runId } = await handle(cluster).describe();
  expect(await archived()).toEqual([...before, runId]);
});

test.each([
  ['terminated', (cluster: ClusterRef) => handle(cluster).terminate()],
  ['cancelled', (cluster: ClusterRef) => handle(cluster).cancel()],
  ['told something without a body', (cluster: ClusterRef) => handle(cluster).signal('connected')],
])('%s, it is in contact again by itself, with its agent and its state', async (_, harm) => {
  const cluster = await create();
  const contact = async (contact: 'connected' | 'lost') => {
    const agents = ground.database.kysely.updateTable('cluster_agent').where('cluster_id', '=', cluster.id);
    await agents.set({ contact }).execute();
  };
  await contact('connected');
  await tell(cluster, 'connected');
  await stateIs(cluster, 'ready');
  await harm(cluster);
  const { database, temporal, log } = ground;
  const [open] = (await openRows(database, 'cluster', 0)).filter(({ id }) => id === cluster.id);
  if (open === undefined) throw new Error('Its row is not open.');
  await mendActor({ database, temporal, log, metrics: openMetrics(undefined) }, open);
  // Words of its agent reach it, and nothing of its facts is gone.
  await contact('lost');
  await tell(cluster, 'lost');
  await stateIs(cluster, 'lost');
  await contact('connected');
  await tell(cluster, 'back');
  await stateIs(cluster, 'ready');
  expect((await handle(cluster).describe()).status.name).toBe('RUNNING');
  await handle(cluster).terminate();
});
