import { afterAll, beforeEach, expect, test } from 'vitest';
import { restoreOrganization } from '../../db/deletions/deletions.ts';
import { archivedRuns } from '../../db/engine/archive/history-archive.ts';
import { effect } from '../../db/engine/effect.ts';
import { type Alarm, openDatabase } from '../../db/postgres/database.ts';
import { lookAgain } from '../../domain/actors/actors.ts';
import { setBlocker } from '../../temporal/delivery/blocker.ts';
import { actorsGround, deletedOrganization, deletionRow, tester } from '../../test/actors/actors.ts';
import { begunDeletions } from '../../test/actors/begun-deletions.ts';
import { until } from '../../test/ground/until.ts';
import { openMetrics } from '../host/metrics.ts';
import { openMemory, reconcile } from './reconciler.ts';
import { runningActors } from './running-actors.ts';

const metrics = openMetrics(undefined);
const alarms: Alarm[] = [];

const ground = await actorsGround();
ground.database.onAlarm((alarm) => alarms.push(alarm));
const { database, temporal, log } = ground;
const reconciling = { database, temporal, log, metrics, graceSeconds: 0 };

beforeEach(() => {
  alarms.length = 0;
});

afterAll(() => ground.close());

const { begin, handle } = begunDeletions(() => ground);

test('an actor that was never started is started, as its row says, and then hears what it was told', async () => {
  const deletion = await deletedOrganization(ground.database);
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', deletion.actor).execute();
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletion.deletionId));
  // The row is final now, so nothing starts its actor.
  await reconcile(reconciling);
  await expect(handle(deletion).describe()).rejects.toThrow();

  const lost = await deletedOrganization(ground.database);
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', lost.actor).execute();
  await reconcile(reconciling);
  const { history } = await ground.temporal.client.workflow
    .getHandle(lost.actor)
    .fetchHistory()
    .then((history) => ({ history }));
  const input = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [decoded] = (await ground.temporal.client.options.loadedDataConverter.payloadCodecs[0]?.decode(input)) ?? [];
  const { restore_until } = await deletionRow(ground.database, lost.deletionId);
  expect(JSON.parse(Buffer.from(decoded?.data ?? []).toString())).toEqual({
    deletionId: lost.deletionId,
    organizationId: lost.organizationId,
    restoreUntil: restore_until.toISOString(),
    state: 'retained',
    revision: 0,
    purgeRequested: false,
  });
});

test('a start that still waits in the outbox is left to the relay', async () => {
  const deletion = await deletedOrganization(ground.database);
  await reconcile(reconciling);
  await expect(handle(deletion).describe()).rejects.toThrow();
});

test('a young row is left alone', async () => {
  const deletion = await deletedOrganization(ground.database);
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', deletion.actor).execute();
  await reconcile({ ...reconciling, graceSeconds: 60 });
  await expect(handle(deletion).describe()).rejects.toThrow();
});

test('an actor that lives once and was terminated is started to say its last word, once, and keeps its history', async () => {
  const deletion = await begin();
  const { runId } = await handle(deletion).describe();
  await handle(deletion).terminate();
  await Promise.all([reconcile(reconciling), reconcile(reconciling)]);
  const stopServing = await ground.serve();
  try {
    expect(await handle(deletion).result()).toBe('failed');
  } finally {
    await stopServing();
  }
  const row = await deletionRow(ground.database, deletion.deletionId);
  expect(row).toMatchObject({
    state: 'failed',
    message:
      'The workflow of this deletion was terminated before it finished; restore what was deleted, or delete it for good.',
  });
  expect(row.finished_at).not.toBeNull();
  expect(alarms.filter(({ actorId }) => actorId === deletion.actor).length).toBeGreaterThan(0);
  const records = ground.database.kysely.selectFrom('audit_record').where('subject_id', '=', deletion.organizationId);
  expect(await records.select(['action', 'actor_id']).where('actor_kind', '=', 'actor').execute()).toEqual([
    { action: 'organization.deletion_failed', actor_id: deletion.actor },
  ]);
  expect((await archivedRuns(ground.database.kysely, deletion.actor)).map((run) => run.runId)).toEqual([runId]);
  // The owner may still decide.
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletion.deletionId));
});

test('an actor that completed has not failed: its row is of a database that was restored, and it goes on from that', async () => {
  const deletion = await begin();
  const stopServing = await ground.serve();
  const row = () => ground.database.kysely.updateTable('deletion').where('id', '=', deletion.deletionId);
  try {
    await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletion.deletionId));
    expect(await handle(deletion).result()).toBe('restored');
    await row().set({ state: 'retained', revision: 0, finished_at: null }).execute();
    await Promise.all([reconcile(reconciling), reconcile(reconciling)]);
    expect((await handle(deletion).describe()).status.name).toBe('RUNNING');
    expect(await deletionRow(ground.database, deletion.deletionId)).toMatchObject({ state: 'retained', message: null });
    expect(alarms.filter(({ actorId }) => actorId === deletion.actor)).toEqual([]);
    // Its code completes again and again while the row stays open: then nothing goes on by itself.
    for (let round = 0; round < 6; round += 1) {
      await row().set({ state: 'restored', finished_at: new Date() }).execute();
      await handle(deletion).signal(lookAgain, { id: crypto.randomUUID(), body: {} });
      await handle(deletion).result();
      await row().set({ state: 'retained', finished_at: null }).execute();
      await reconcile(reconciling);
    }
    expect(await handle(deletion).result()).toBe('failed');
    expect(alarms.filter(({ actorId }) => actorId === deletion.actor)).not.toEqual([]);
  } finally {
    await stopServing();
  }
});

test('an actor that runs is left alone, and a blocker that no longer holds is taken away', async () => {
  const deletion = await begin();
  const hints = () =>
    ground.database.kysely
      .selectFrom('change_feed')
      .select('kind')
      .where('subject_id', '=', deletion.deletionId)
      .execute();
  const before = await hints();
  for (let time = 0; time < 2; time += 1) {
    await setBlocker(ground.database.kysely, deletion.actor, 'Its step has failed.');
  }
  await reconcile(reconciling);
  // That it was stuck and that it is not any more, each once.
  expect(await hints()).toEqual([...before, { kind: 'deletion' }, { kind: 'deletion' }]);
  expect(await deletionRow(ground.database, deletion.deletionId)).toMatchObject({ state: 'retained', blocker: null });
  expect((await handle(deletion).describe()).status.name).toBe('RUNNING');
  expect(alarms).toEqual([]);
});

test('the blocker of a poisoned entry stays until the entry is delivered', async () => {
  const deletion = await begin();
  await effect(ground.database, tester, async ({ tell }) =>
    tell({ to: deletion.actor, message: 'purgeNow', organizationId: deletion.organizationId, body: {} }),
  );
  await ground.database.kysely
    .updateTable('outbox')
    .set({ attempts: 10 })
    .where('actor_id', '=', deletion.actor)
    .execute();
  await setBlocker(ground.database.kysely, deletion.actor, 'Messages cannot be delivered.');
  await reconcile(reconciling);
  expect((await deletionRow(ground.database, deletion.deletionId)).blocker).toBe('Messages cannot be delivered.');
});

test('a row that cannot be mended is named in its blocker, and all others are mended', async () => {
  const broken = await begin();
  const lost = await begin();
  for (const { actor } of [broken, lost]) await ground.temporal.client.workflow.getHandle(actor).terminate();
  // The name is no text that Temporal's search accepts: this actor can never be started.
  const columns = { state: 'x'.repeat(3_000) as 'retained' };
  await ground.database.kysely.schema.alterTable('deletion').dropConstraint('deletion_state_check').execute();
  await ground.database.kysely.updateTable('deletion').set(columns).where('id', '=', broken.deletionId).execute();
  await reconcile(reconciling);
  expect((await deletionRow(ground.database, broken.deletionId)).blocker).toContain('Repair failed: ');
  expect((await handle(lost).describe()).status.name).toBe('RUNNING');
});

test('a row that somebody keeps locked keeps no other one waiting, and its blocker says what it said', async () => {
  const { database } = ground;
  const held = await begin();
  const lost = await begin();
  await setBlocker(database.kysely, held.actor, 'Its step has failed.');
  await handle(lost).terminate();
  const soon = await openDatabase({
    url: database.url,
    applicationName: 'ballast test',
    poolMax: 4,
    lockTimeoutMillis: 50,
  });
  try {
    await database.kysely.transaction().execute(async (holding) => {
      await holding.selectFrom('deletion').select('id').where('id', '=', held.deletionId).forUpdate().execute();
      await reconcile({ ...reconciling, database: soon });
    });
  } finally {
    await soon.close();
  }
  expect((await handle(lost).describe()).status.name).toBe('RUNNING');
  expect((await deletionRow(database, held.deletionId)).blocker).toBe('Its step has failed.');
  await reconcile(reconciling);
  expect((await deletionRow(database, held.deletionId)).blocker).toBeNull();
});

test('a pass costs a few calls whatever the number of actors: only some are described, and those in turn', async () => {
  const actors: string[] = [];
  // No more at once than the database has connections for, of which one waits for another only so long.
  while (actors.length < 60) {
    const begun = await Promise.all(Array.from({ length: 6 }, () => begin()));
    actors.push(...begun.map(({ actor }) => actor));
  }
  const described: string[] = [];
  const calls: string[] = [];
  const { workflowService } = ground.temporal.connection;
  const counting = new Proxy(workflowService, {
    get(service, name, receiver) {
      const method: unknown = Reflect.get(service, name, receiver);
      if (typeof method !== 'function') return method;
      return (...given: unknown[]) => {
        calls.push(String(name));
        const [{ execution }] = given as [{ execution?: { workflowId?: string } }];
        if (name === 'describeWorkflowExecution') described.push(execution?.workflowId ?? '');
        return Reflect.apply(method, service, given);
      };
    },
  });
  const connection = Object.create(ground.temporal.connection, { workflowService: { value: counting } });
  const watched = { ...reconciling, temporal: { ...ground.temporal, connection } };
  const memory = openMemory();
  await until(
    'visibility knows all of them',
    async () => {
      const running = await runningActors(ground.temporal);
      return actors.every((actor) => running.has(actor));
    },
    60,
  );
  await reconcile(watched, undefined, memory);
  expect(calls.length).toBeLessThan(80);
  expect(new Set(described).size).toBeLessThan(actors.length);
  for (let pass = 0; pass < 2; pass += 1) await reconcile(watched, undefined, memory);
  expect(new Set(described)).toEqual(new Set([...described, ...actors]));
});
