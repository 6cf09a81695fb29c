import { afterAll, expect, inject, test } from 'vitest';
import { restoreOrganization } from '../../db/deletions/deletions.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { outboxState } from '../../db/engine/outbox.ts';
import type { ActorId } from '../../domain/actors/actors.ts';
import { actorsGround, deletedOrganization, deletionRow, tester } from '../../test/actors/actors.ts';
import { proxyTo } from '../../test/ground/proxy.ts';
import { until } from '../../test/ground/until.ts';
import { createDelivery } from './delivery.ts';

const proxy = await proxyTo(inject('ground').temporal.address);
const ground = await actorsGround(proxy.address);

afterAll(async () => {
  await ground.close();
  await proxy.close();
});

async function tell(actor: ActorId, organizationId: string, message: string, body = {}): Promise<void> {
  await effect(ground.database, tester, async (telling) => telling.tell({ to: actor, message, organizationId, body }));
}

async function signals(workflowId: string) {
  const { connection, namespace } = ground.temporal;
  const { history } = await connection.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId },
  });
  return (history?.events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => signal ?? []);
}

async function waiting(actorId: string): Promise<number> {
  const entries = ground.database.kysely.selectFrom('outbox').select('id').where('actor_id', '=', actorId);
  return (await entries.execute()).length;
}

function isStarted(actorId: string): Promise<boolean> {
  return ground.temporal.client.workflow
    .getHandle(actorId)
    .describe()
    .then(
      () => true,
      () => false,
    );
}

test('an actor is started, then told everything in order, and nothing is left', async () => {
  const { actor, organizationId } = await deletedOrganization(ground.database);
  const messages = Array.from({ length: 5 }, (_, number) => `message-${number}`);
  for (const message of messages) await tell(actor, organizationId, message);
  // Of four processes one tells it, and the others find it busy or nothing left.
  const processes = Array.from({ length: 4 }, () => createDelivery(ground));
  const results = await Promise.all(processes.map(({ deliver }) => deliver(actor)));
  expect(results.filter((result) => result === 'delivered')).toHaveLength(1);
  expect((await signals(actor)).map(({ signalName }) => signalName)).toEqual(messages);
  expect(await waiting(actor)).toBe(0);
  expect(await ground.delivery.deliver(actor)).toBe('nothing');
});

test('an actor that has been started already is not started twice; one that has ended is not taken for started', async () => {
  const { actor, organizationId, deletionId } = await deletedOrganization(ground.database);
  await ground.delivery.deliver(actor);
  const handle = ground.temporal.client.workflow.getHandle(actor);
  const { runId } = await handle.describe();
  const start = async ({ tell: again }: Effect) => again({ start: 'deletion', id: deletionId, organizationId });
  await effect(ground.database, tester, start);
  expect(await ground.delivery.deliver(actor)).toBe('delivered');
  await handle.terminate();
  await effect(ground.database, tester, start);
  expect(await ground.delivery.deliver(actor)).toBe('failed');
  expect((await handle.describe()).runId).toBe(runId);
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', actor).execute();
});

test('the actor of a row that is final is never started, and what it was to be told is dropped', async () => {
  const { actor, deletionId } = await deletedOrganization(ground.database);
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletionId));
  expect(await ground.delivery.deliver(actor)).toBe('delivered');
  expect(await isStarted(actor)).toBe(false);
  expect(await waiting(actor)).toBe(0);
});

test('what cannot be told delays nobody else, is named, and its blocker goes when it can be told', async () => {
  const poisoned = await deletedOrganization(ground.database);
  const others = await Promise.all(Array.from({ length: 3 }, () => deletedOrganization(ground.database)));
  // The start is lost, so that a message waits for an actor that does not exist.
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', poisoned.actor).execute();
  await tell(poisoned.actor, poisoned.organizationId, 'first');
  await tell(poisoned.actor, poisoned.organizationId, 'second');
  const entry = ground.database.kysely.updateTable('outbox').where('actor_id', '=', poisoned.actor);
  // As after eight attempts in vain.
  await entry.set({ attempts: 8 }).execute();
  for (let attempt = 9; attempt <= 10; attempt += 1) {
    expect((await deletionRow(ground.database, poisoned.deletionId)).blocker).toBeNull();
    expect(await ground.delivery.deliver(poisoned.actor)).toBe('failed');
    expect(await ground.delivery.deliver(poisoned.actor)).toBe('failed');
    await entry.set({ next_attempt_at: new Date(0) }).execute();
  }
  await ground.delivery.deliverDue(100);
  for (const { actor } of others) expect(await isStarted(actor)).toBe(true);
  const { poisoned: named } = await outboxState(ground.database.kysely);
  expect(named).toEqual([
    expect.objectContaining({ actorId: poisoned.actor, attempts: 11, lastError: expect.stringMatching(/not running/) }),
  ]);
  const row = await deletionRow(ground.database, poisoned.deletionId);
  expect(row.blocker).toMatch(/Messages cannot be delivered.*not running/);

  const { organizationId, deletionId } = poisoned;
  const input = { deletionId, organizationId, restoreUntil: row.restore_until.toISOString() };
  await ground.temporal.client.workflow.start('deletion', {
    workflowId: poisoned.actor,
    taskQueue: 'ballast',
    args: [input],
  });
  await entry.set({ next_attempt_at: new Date(0) }).execute();
  expect(await ground.delivery.deliver(poisoned.actor)).toBe('delivered');
  expect((await signals(poisoned.actor)).map(({ signalName }) => signalName)).toEqual(['first', 'second']);
  expect((await deletionRow(ground.database, poisoned.deletionId)).blocker).toBeNull();
});

test.each([
  ['refuses connections', 'cut'],
  ['hangs', 'freeze'],
] as const)(
  'while Temporal %s deliveries fail fast and count against nobody; when it is back all is told',
  async (_, away) => {
    const deletions = await Promise.all(Array.from({ length: 3 }, () => deletedOrganization(ground.database)));
    await proxy[away]();
    const results = await Promise.all(deletions.map(({ actor }) => ground.delivery.deliver(actor)));
    expect(new Set(results)).toEqual(new Set(['failed']));
    expect(ground.delivery.away).toBe(true);
    // Temporal is asked once more at most, and no entry is tried before it answers: nothing is said of what is due.
    expect(await ground.delivery.deliverDue(100)).toEqual({ told: 0, more: false, nextMilliseconds: undefined });
    const attempts = await ground.database.kysely.selectFrom('outbox').select('attempts').execute();
    expect(attempts.map((entry) => entry.attempts)).toEqual(deletions.map(() => 0));

    await proxy.restore();
    await until('everything is told', async () => {
      await ground.delivery.deliverDue(100);
      return (await outboxState(ground.database.kysely)).depth === 0;
    });
    for (const { actor } of deletions) expect(await isStarted(actor)).toBe(true);
    expect(ground.delivery.away).toBe(false);
  },
);
