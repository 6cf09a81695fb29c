import proto from '@temporalio/proto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { restoreOrganization } from '../../db/deletions/deletions.ts';
import { readHistory } from '../../db/engine/archive/history-archive.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Alarm } from '../../db/postgres/database.ts';
import { payloadCodec } from '../../temporal/connection/codec.ts';
import { actorsGround, deletedOrganization, deletionRow, tester } from '../../test/actors/actors.ts';
import { until } from '../../test/ground/until.ts';
import { openMetrics } from '../host/metrics.ts';
import { archiveFinished } from './archive.ts';

const { History } = proto.temporal.api.history.v1;
const alarms: Alarm[] = [];

const ground = await actorsGround();
ground.database.onAlarm((alarm) => alarms.push(alarm));
const { database, keyring, temporal, log } = ground;
const archiving = { database, keyring, temporal, log, metrics: openMetrics(undefined), graceSeconds: 0 };
const stopServing = await ground.serve();

afterAll(async () => {
  await stopServing();
  await ground.close();
});

async function archived(actor: string) {
  const runs: { runId: string; after: string; eventIds: number[] }[] = [];
  const events: proto.temporal.api.history.v1.IHistoryEvent[] = [];
  for await (const page of readHistory(ground.database.kysely, ground.keyring, actor)) {
    const decoded = History.decode(page.bytes).events;
    const after = decoded[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
    runs.push({ runId: page.runId, after, eventIds: decoded.map(({ eventId }) => Number(eventId)) });
    events.push(...decoded);
  }
  return { runs, events };
}

test('the history of an ended actor is archived whole and can be read without Temporal', async () => {
  const { actor, deletionId } = await deletedOrganization(ground.database, 0);
  await ground.delivery.deliver(actor);
  const handle = ground.temporal.client.workflow.getHandle(actor);
  await handle.result();
  await archiveFinished(archiving);
  expect((await deletionRow(ground.database, deletionId)).archived_at).not.toBeNull();
  const { events } = await archived(actor);
  const original = await handle.fetchHistory();
  expect(events.map((event) => event.eventType)).toEqual(original.events?.map((event) => event.eventType));
  const input = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [payload] = await payloadCodec(ground.keys).decode(input);
  expect(JSON.parse(Buffer.from(payload?.data ?? []).toString())).toMatchObject({ deletionId });
});

test('all runs of an actor that continued as new are archived, the first one first', async () => {
  const { actor, deletionId } = await deletedOrganization(ground.database);
  await ground.database.kysely.deleteFrom('outbox').where('actor_id', '=', actor).execute();
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, deletionId));
  // No actor of ours continues as new yet, so we play its worker.
  const { client, connection, namespace } = ground.temporal;
  const taskQueue = { name: 'played' };
  await client.workflow.start('played', { workflowId: actor, taskQueue: taskQueue.name });
  for (const command of ['CONTINUE', 'CONTINUE', 'COMPLETE']) {
    const { taskToken } = await connection.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue });
    const { CommandType } = proto.temporal.api.enums.v1;
    const next = { workflowType: { name: 'played' }, taskQueue };
    const commands =
      command === 'CONTINUE'
        ? [
            {
              commandType: CommandType.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION,
              continueAsNewWorkflowExecutionCommandAttributes: next,
            },
          ]
        : [
            {
              commandType: CommandType.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION,
              completeWorkflowExecutionCommandAttributes: {},
            },
          ];
    await connection.workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands });
  }
  await archiveFinished(archiving);
  const { runs } = await archived(actor);
  expect(runs.map(({ eventIds }) => eventIds)).toEqual(Array(3).fill([1, 2, 3, 4, 5]));
  expect(runs.map(({ after }) => after)).toEqual(['', runs[0]?.runId, runs[1]?.runId]);
});

test('an actor that still runs is not archived but reported, once, and does not keep others waiting', async () => {
  const running = await deletedOrganization(ground.database);
  await ground.delivery.deliver(running.actor);
  const begun = ground.temporal.client.workflow.getHandle(running.actor);
  await until('it waits', async () =>
    (await begun.fetchHistory()).events?.some(({ timerStartedEventAttributes: timer }) => timer),
  );
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, running.deletionId));
  const never = await deletedOrganization(ground.database);
  await effect(ground.database, tester, (restoring) => restoreOrganization(restoring, never.deletionId));
  alarms.length = 0;
  const reported = new Set<string>();
  await archiveFinished(archiving, reported);
  await archiveFinished(archiving, reported);
  expect(alarms.map(({ actorId }) => actorId)).toEqual([running.actor]);
  expect((await deletionRow(ground.database, running.deletionId)).archived_at).toBeNull();
  expect((await deletionRow(ground.database, never.deletionId)).archived_at).not.toBeNull();

  await ground.delivery.deliver(running.actor);
  await ground.temporal.client.workflow.getHandle(running.actor).result();
  await archiveFinished(archiving, reported);
  expect((await deletionRow(ground.database, running.deletionId)).archived_at).not.toBeNull();
});

test('hundreds that must wait keep nobody behind them waiting', async () => {
  const { actor, deletionId } = await deletedOrganization(ground.database, 0);
  await ground.delivery.deliver(actor);
  await ground.temporal.client.workflow.getHandle(actor).result();
  // Final for a moment, and unknown to Temporal: the start of each may still be on its way.
  await sql`
    insert into deletion (id, organization_id, kind, name, slug, requested_by_kind, requested_by_id, requested_by_name,
                          state, restore_until, finished_at)
    select gen_random_uuid(), organization_id, kind, name, slug, requested_by_kind, requested_by_id, requested_by_name,
           'restored', restore_until, finished_at - interval '1 second'
    from deletion, generate_series(1, 201)
    where id = ${deletionId}
  `.execute(ground.database.kysely);
  await archiveFinished({ ...archiving, graceSeconds: 3_600 });
  expect((await deletionRow(ground.database, deletionId)).archived_at).not.toBeNull();
  const waiting = ground.database.kysely.selectFrom('deletion').select('id').where('archived_at', 'is', null);
  expect((await waiting.execute()).length).toBe(201);
});
