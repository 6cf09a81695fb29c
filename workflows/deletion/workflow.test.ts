import { afterAll, expect, test } from 'vitest';
import { requestPurge, restoreOrganization } from '../../db/deletions/deletions.ts';
import { effect } from '../../db/engine/effect.ts';
import { type DeletedOrganization, deletedOrganization, deletionRow, tester } from '../../test/actors/actors.ts';
import { servedGround } from '../../test/actors/grounds/served-ground.ts';
import { until } from '../../test/ground/until.ts';
import type { DeletionView } from './state.ts';

const ground = await servedGround();

afterAll(() => ground.close());

async function begin(retentionHours?: number): Promise<DeletedOrganization> {
  const deletion = await deletedOrganization(ground.database, retentionHours);
  expect(await ground.delivery.deliver(deletion.actor)).toBe('delivered');
  return deletion;
}

function handle({ actor }: DeletedOrganization) {
  return ground.temporal.client.workflow.getHandle(actor);
}

async function organizationExists({ organizationId }: DeletedOrganization): Promise<boolean> {
  const rows = await ground.database.kysely
    .selectFrom('organization')
    .select('id')
    .where('id', '=', organizationId)
    .execute();
  return rows.length > 0;
}

async function audited({ organizationId }: DeletedOrganization): Promise<string[]> {
  const records = ground.database.kysely.selectFrom('audit_record').where('organization_id', '=', organizationId);
  return (await records.select('action').orderBy('at').orderBy('id').execute()).map(({ action }) => action);
}

/** The timers that it has set so far, in days. */
async function timers({ actor }: DeletedOrganization): Promise<number[]> {
  const { temporal } = ground;
  const { history } = await temporal.connection.workflowService.getWorkflowExecutionHistory({
    namespace: temporal.namespace,
    execution: { workflowId: actor },
  });
  const set = history?.events?.flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []) ?? [];
  return set.map(({ startToFireTimeout: time }) => Math.round(Number(time?.seconds ?? 0) / 86_400));
}

test('without retention it is purged at once, and everybody can read what happened', async () => {
  const deletion = await begin(0);
  expect(await handle(deletion).result()).toBe('purged');
  const row = await deletionRow(ground.database, deletion.deletionId);
  expect(row).toMatchObject({ state: 'purged', revision: 2, message: null });
  expect(row.finished_at).not.toBeNull();
  expect(await organizationExists(deletion)).toBe(false);
  expect(await audited(deletion)).toEqual(['organization.created', 'organization.deleted', 'organization.purged']);
});

test('while it is retained its view says until when, and its log names actor and request', async () => {
  const deletion = await begin();
  const row = await deletionRow(ground.database, deletion.deletionId);
  const restoreUntil = row.restore_until.toISOString();
  expect(await handle(deletion).query<DeletionView>('view')).toEqual({
    phase: 'retained',
    restoreUntil,
    deletedRows: 0,
  });
  const { memo, typedSearchAttributes } = await handle(deletion).describe();
  expect(memo).toEqual({ author: { kind: 'user', id: 'tester', name: 'Tester' }, requestId: 'request-1' });
  expect(typedSearchAttributes.getAll().map(({ value }) => value)).toEqual(
    expect.arrayContaining([deletion.organizationId, 'deletion', 'retained']),
  );
  await handle(deletion).terminate();
});

test('its owner restores it', async () => {
  const deletion = await begin();
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletion.deletionId));
  expect(await ground.delivery.deliver(deletion.actor)).toBe('delivered');
  expect(await handle(deletion).result()).toBe('restored');
  expect(await organizationExists(deletion)).toBe(true);
  expect(await deletionRow(ground.database, deletion.deletionId)).toMatchObject({ state: 'restored' });
});

test('its owner has it purged now', async () => {
  const deletion = await begin();
  await effect(ground.database, tester, (purging) => requestPurge(purging, deletion.deletionId));
  expect(await ground.delivery.deliver(deletion.actor)).toBe('delivered');
  expect(await handle(deletion).result()).toBe('purged');
  expect(await organizationExists(deletion)).toBe(false);
});

test('the actor obeys a restoration of which it has not been told', async () => {
  const deletion = await begin();
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletion.deletionId));
  // As if the time had passed at that moment: the claim comes first, the message never.
  await handle(deletion).signal('purgeNow', { id: 'never sent', body: {} });
  expect(await handle(deletion).result()).toBe('restored');
  expect(await organizationExists(deletion)).toBe(true);
});

test('a purge that nobody asked for waits for the time that the row names', async () => {
  const deletion = await begin();
  await until('it waits', async () => (await timers(deletion)).length === 1);
  await handle(deletion).signal('purgeNow', { id: 'not of the outbox', body: {} });
  await until('the claim was refused', async () => (await timers(deletion)).length === 2);
  expect(await handle(deletion).query<DeletionView>('view')).toMatchObject({ phase: 'retained' });
  expect(await deletionRow(ground.database, deletion.deletionId)).toMatchObject({ state: 'retained', revision: 0 });
  await handle(deletion).terminate();
});

test('a retention of ten years is one timer', async () => {
  const deletion = await begin(3_653 * 24);
  expect(await until('its timer', async () => (await timers(deletion)).at(0))).toBe(3_653);
  await handle(deletion).terminate();
});

test('cancelled while it is retained it fails with a message, and its owner may still decide', async () => {
  const deletion = await begin();
  await handle(deletion).cancel();
  await expect(handle(deletion).result()).rejects.toThrow();
  const row = await deletionRow(ground.database, deletion.deletionId);
  expect(row).toMatchObject({ state: 'failed', message: expect.stringMatching(/cancelled.*restore it or delete it/) });
  expect(await audited(deletion)).toContain('organization.deletion_failed');
  const line = await until('its log line', async () =>
    ground.lines.find(({ actor, msg }) => actor === deletion.actor && msg === 'The deletion ends as failed'),
  );
  expect(line).toMatchObject({ requestId: 'request-1', workflowType: 'deletion' });
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletion.deletionId));
  expect(await deletionRow(ground.database, deletion.deletionId)).toMatchObject({ state: 'restored' });
});

test('nothing that it was told or has failed with lies open in its history', async () => {
  const deletion = await begin();
  await handle(deletion).cancel();
  await handle(deletion)
    .result()
    .catch(() => undefined);
  const { history } = await ground.temporal.connection.workflowService.getWorkflowExecutionHistory({
    namespace: ground.temporal.namespace,
    execution: { workflowId: deletion.actor },
  });
  const text = JSON.stringify(history, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
  );
  for (const open of ['restoreUntil', 'Tester', 'was cancelled']) expect(text).not.toContain(open);
});
