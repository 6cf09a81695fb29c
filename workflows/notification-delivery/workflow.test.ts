import proto from '@temporalio/proto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import {
  deleteNotificationChannel,
  retryDeliveries,
  updateNotificationChannel,
} from '../../db/notification-channels/notification-channels.ts';
import { startForgottenDeliveries } from '../../db/notification-channels/tell-channels.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { payloadCodec } from '../../temporal/connection/codec.ts';
import { historyEvents } from '../../temporal/history/history-events.ts';
import { tester } from '../../test/actors/actors.ts';
import { ChatGround } from '../../test/actors/grounds/chat-ground.ts';
import { until } from '../../test/ground/until.ts';

const { History } = proto.temporal.api.history.v1;

const at = new ChatGround();
const { newest, delivered, attempted, atPath } = at;

const change = (changes: Parameters<typeof updateNotificationChannel>[4]) =>
  effect(at.actors.database, tester, async (changing) =>
    updateNotificationChannel(
      changing,
      at.actors.keyring,
      at.ours.organizationId,
      await at.ours.now(at.channel),
      changes,
    ),
  );
const retry = () =>
  effect(at.actors.database, tester, (asking) => retryDeliveries(asking, at.ours.organizationId, at.channel));

test('an event arrives with its title, its text and a link into the console', async () => {
  const title = await at.ours.happen();
  await delivered('delivered');
  const [{ body } = { body: undefined }] = atPath();
  const text = String((body as { text?: unknown } | undefined)?.text);
  expect(text).toContain(`*${title}*`);
  expect(text).toContain('It failed.');
  expect(text).toMatch(/<https:\/\/ballast\.example\.com\/[^/]+\/clusters\/[0-9a-f-]{36}\|/);
  expect(await at.ours.now(at.channel)).toMatchObject({
    lastError: null,
    lastDeliveredAt: expect.any(Date),
    pending: 0,
  });
});

describe('a failed attempt is retried', () => {
  test('and the channel says so', async () => {
    at.chat.answers(500);
    await at.ours.happen();
    const failed = await attempted(1);
    expect(failed).toMatchObject({ state: 'retrying', lastError: expect.stringContaining('answered 500') });
    const { lastError, pending, retrying, nextAttemptAt } = await at.ours.now(at.channel);
    expect(lastError).toMatch(/Attempt 1 of 24; the next is in 30 seconds\.$/);
    expect({ pending, retrying, nextAttemptAt }).toEqual({ pending: 1, retrying: 1, nextAttemptAt: expect.any(Date) });
    await retry();
    await delivered('delivered');
    expect(await newest()).toMatchObject({ attempts: 2, lastError: null });
    expect(await at.ours.now(at.channel)).toMatchObject({ lastError: null, retrying: 0 });
    expect(atPath()).toHaveLength(2);
  });

  test('no sooner than the other side asks for, and within an hour whatever it asks for', async () => {
    at.chat.answers({ status: 429, headers: { 'retry-after': '600' } });
    await at.ours.happen();
    await attempted(1);
    expect((await at.ours.now(at.channel)).lastError).toContain('the next is in 10 minutes');
    at.chat.answers({ status: 503, headers: { 'retry-after': '86400' } });
    await retry();
    await attempted(2);
    expect((await at.ours.now(at.channel)).lastError).toContain('Attempt 2 of 24; the next is in 1 hour');
  });

  test('not after 404: it ends at once', async () => {
    at.chat.answers(404);
    await at.ours.happen();
    await delivered('failed');
    expect(atPath()).toHaveLength(1);
    expect((await at.ours.now(at.channel)).lastError).toMatch(/answered 404.*Gave up after 1 attempt\.$/);
  });
});

test('disabling drops what is on its way, and enabling does not bring it back', async () => {
  at.chat.otherwise(503);
  await at.ours.happen();
  await attempted(1);
  await change({ enabled: false });
  expect(await at.ours.sent(at.channel)).toMatchObject([{ state: 'dropped', lastError: 'The channel was disabled.' }]);
  await at.ours.happen();
  expect(await at.ours.sent(at.channel)).toHaveLength(1);
  at.chat.otherwise(200);
  await change({ enabled: true });
  const { id } = await newest();
  await at.ours.deliver();
  const actor = at.actors.temporal.client.workflow.getHandle(actorId('notification-delivery', id));
  expect(await actor.result()).toBe('dropped');
  expect(atPath()).toHaveLength(1);
  await at.ours.happen();
  await until('the next event arrives', async () => {
    await at.ours.deliver();
    return (await newest()).state === 'delivered';
  });
});

test('a new secret clears the last error, and is tried at once', async () => {
  at.chat.otherwise(503);
  await at.ours.happen();
  await attempted(1);
  at.path = `${at.path}new`;
  at.chat.otherwise(200);
  expect((await change({ secret: at.chat.url(at.path) })).lastError).toBeNull();
  await delivered('delivered');
  expect(atPath()).toHaveLength(1);
});

test('deleting drops what is on its way and erases the secret', async () => {
  at.chat.otherwise(503);
  await at.ours.happen();
  await attempted(1);
  await effect(at.actors.database, tester, async (deleting) =>
    deleteNotificationChannel(deleting, at.ours.organizationId, await at.ours.now(at.channel)),
  );
  expect(await at.ours.sent(at.channel)).toMatchObject([{ state: 'dropped', lastError: 'The channel was deleted.' }]);
  const { rows } = await sql`select sealed, hint from notification_channel where id = ${at.channel.id}`.execute(
    at.actors.database.kysely,
  );
  expect(rows).toEqual([{ sealed: null, hint: '' }]);
});

test('an event reaches a channel once, however often it is told', async () => {
  await at.ours.happen();
  await delivered('delivered');
  const { rows } = await sql<{ occasion: string }>`
    insert into queued_delivery (id, organization_id, notification_channel_id, occasion, kind, title, body, link)
    select gen_random_uuid(), organization_id, notification_channel_id, occasion, kind, title, body, link
    from delivery where notification_channel_id = ${at.channel.id} returning occasion`.execute(
    at.actors.database.kysely,
  );
  expect(rows).toHaveLength(1);
  expect(await startForgottenDeliveries(at.actors.database)).toBe(0);
  expect(await at.ours.sent(at.channel)).toHaveLength(1);
});

test('neither the address nor the text is in the history of the workflow, or in the log', async () => {
  at.chat.answers(503);
  await at.ours.happen();
  await attempted(1);
  const { id } = await newest();
  const handle = at.actors.temporal.client.workflow.getHandle(actorId('notification-delivery', id));
  // The row tells of the attempt before its workflow does.
  const decoded = await until('the attempt is in the history', async (see) => {
    const history = History.encode(await handle.fetchHistory()).finish();
    const events = see(JSON.stringify(await historyEvents(history, payloadCodec(at.actors.keys))));
    return events.includes('answered 503') && events;
  });
  const everything = `${decoded}\n${JSON.stringify(at.actors.lines)}`;
  expect(everything).not.toContain('s3cret');
  expect(everything).not.toContain('It failed.');
});
