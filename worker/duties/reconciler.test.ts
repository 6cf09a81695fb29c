import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { restoreOrganization } from '../../db/deletions/deletions.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Alarm } from '../../db/postgres/database.ts';
import { setBlocker } from '../../temporal/delivery/blocker.ts';
import {
  type ActorsGround,
  actorsGround,
  type DeletedOrganization,
  deletedOrganization,
  deletionRow,
  tester,
} from '../../test/ground/actors.ts';
import { openMetrics } from '../host/metrics.ts';
import { type Reconciling, reconcile } from './reconciler.ts';

let ground: ActorsGround;
let reconciling: Reconciling;
const metrics = openMetrics(undefined);
const alarms: Alarm[] = [];

beforeAll(async () => {
  ground = await actorsGround();
  ground.database.onAlarm((alarm) => alarms.push(alarm));
  const { database, temporal, log } = ground;
  reconciling = { database, temporal, log, metrics, graceSeconds: 0 };
});

beforeEach(() => {
  alarms.length = 0;
});

afterAll(() => ground.close());

async function begin(): Promise<DeletedOrganization> {
  const deletion = await deletedOrganization(ground.database);
  await ground.delivery.deliver(deletion.actor);
  return deletion;
}

function handle({ actor }: DeletedOrganization) {
  return ground.temporal.client.workflow.getHandle(actor);
}

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

test('the row of an actor that was terminated fails with a message, an audit record and an alarm, once', async () => {
  const deletion = await begin();
  await handle(deletion).terminate();
  await Promise.all([reconcile(reconciling), reconcile(reconciling)]);
  const row = await deletionRow(ground.database, deletion.deletionId);
  expect(row).toMatchObject({
    state: 'failed',
    message: 'The process behind it was terminated before it was done; ask for it again.',
  });
  expect(row.finished_at).not.toBeNull();
  expect(alarms.filter(({ actorId }) => actorId === deletion.actor)).toHaveLength(1);
  const records = ground.database.kysely
    .selectFrom('audit_record')
    .where('subject_id', '=', deletion.organizationId)
    .where('actor_id', '=', 'reconciler');
  expect(await records.select(['action', 'actor_id']).execute()).toEqual([
    { action: 'organization.deletion_failed', actor_id: 'reconciler' },
  ]);
  // Its owner may still decide.
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletion.deletionId));
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
  await setBlocker(ground.database.kysely, deletion.actor, 'It cannot be told anything.');
  await reconcile(reconciling);
  expect((await deletionRow(ground.database, deletion.deletionId)).blocker).toBe('It cannot be told anything.');
});
