import proto from '@temporalio/proto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import {
  deleteNotificationChannel,
  type NotificationChannelView,
  retryDeliveries,
  updateNotificationChannel,
} from '../../db/notification-channels/notification-channels.ts';
import { mostUnderWay, startForgottenDeliveries } from '../../db/notification-channels/start-deliveries.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { payloadCodec } from '../../temporal/connection/codec.ts';
import { historyEvents } from '../../temporal/history/history-events.ts';
import { type ActorsGround, actorsGround, tester } from '../../test/actors/actors.ts';
import { type ChannelGround, channelGround } from '../../test/actors/channel-ground.ts';
import { type Receiver, receiver } from '../../test/ground/receiver.ts';
import { until } from '../../test/ground/until.ts';
import { testInAll } from '../../test/run/matrix.ts';

const { History } = proto.temporal.api.history.v1;

let ground: ActorsGround;
let chat: Receiver;
let stopServing: () => Promise<void>;
let ours: ChannelGround;
let channel: NotificationChannelView;
let paths = 0;
let path: string;

beforeAll(async () => {
  ground = await actorsGround();
  chat = await receiver();
  stopServing = await ground.serve({ outbound: chat.rules });
});
afterAll(async () => {
  await stopServing();
  await chat.close();
  await ground.close();
});
beforeEach(async () => {
  ours = await channelGround(ground);
  paths += 1;
  path = `/services/T000/B000/s3cret${paths}`;
  channel = await ours.channel('chat_webhook', chat.url(path));
});
afterEach(() => chat.otherwise({ status: 200, body: 'ok' }));

const newest = async () => {
  const [one] = await ours.sent(channel);
  if (one === undefined) throw new Error('Nothing was sent.');
  return one;
};
const delivered = (state: string, which = channel) =>
  until(`all are ${state}`, async () => {
    await ours.deliver();
    const all = await ours.sent(which);
    return all.length > 0 && all.every((one) => one.state === state) && all;
  });
const attempted = (count: number) =>
  until(`${count} attempts`, async () => {
    await ours.deliver();
    return (await newest()).attempts === count && (await newest());
  });
const change = (changes: Parameters<typeof updateNotificationChannel>[4]) =>
  effect(ground.database, tester, async (changing) =>
    updateNotificationChannel(changing, ground.keyring, ours.organizationId, await ours.now(channel), changes),
  );
const retry = () => effect(ground.database, tester, (asking) => retryDeliveries(asking, ours.organizationId, channel));
const atPath = () => chat.requests.filter((one) => one.path === path);

test('an event arrives with its title, its text and a link into the console', async () => {
  const title = await ours.happen();
  await delivered('delivered');
  const [{ body } = { body: undefined }] = atPath();
  const text = String((body as { text?: unknown } | undefined)?.text);
  expect(text).toContain(`*${title}*`);
  expect(text).toContain('It failed.');
  expect(text).toMatch(/<https:\/\/ballast\.example\.com\/[^/]+\/clusters\/[0-9a-f-]{36}\|/);
  expect(await ours.now(channel)).toMatchObject({ lastError: null, lastDeliveredAt: expect.any(Date), pending: 0 });
});

describe('a failed attempt is retried', () => {
  test.each([
    ['500', 500, 'answered 500'],
    ['408', 408, 'answered 408'],
    ['429', 429, 'answered 429'],
    ['a redirect', { status: 302, headers: { location: 'https://example.com' } }, 'redirect'],
    ['a connection that breaks', 'cut' as const, 'could not be reached'],
  ])('after %s, and the channel says so', async (_, answer, why) => {
    chat.answers(answer);
    await ours.happen();
    const failed = await attempted(1);
    expect(failed).toMatchObject({ state: 'retrying', lastError: expect.stringContaining(why) });
    const { lastError, pending, retrying, nextAttemptAt } = await ours.now(channel);
    expect(lastError).toMatch(/Attempt 1 of 24; the next is in 30 seconds\.$/);
    expect({ pending, retrying, nextAttemptAt }).toEqual({ pending: 1, retrying: 1, nextAttemptAt: expect.any(Date) });
    await retry();
    await delivered('delivered');
    expect(await newest()).toMatchObject({ attempts: 2, lastError: null });
    expect(await ours.now(channel)).toMatchObject({ lastError: null, retrying: 0 });
    expect(atPath()).toHaveLength(2);
  });

  test('no sooner than the other side asks for, and within an hour whatever it asks for', async () => {
    chat.answers({ status: 429, headers: { 'retry-after': '600' } });
    await ours.happen();
    await attempted(1);
    expect((await ours.now(channel)).lastError).toContain('the next is in 10 minutes');
    chat.answers({ status: 503, headers: { 'retry-after': '86400' } });
    await retry();
    await attempted(2);
    expect((await ours.now(channel)).lastError).toContain('Attempt 2 of 24; the next is in 1 hour');
  });

  test.each([400, 401, 403, 404, 410])('not after %i: it ends at once', async (status) => {
    chat.answers(status);
    await ours.happen();
    await delivered('failed');
    expect(atPath()).toHaveLength(1);
    expect((await ours.now(channel)).lastError).toMatch(new RegExp(`answered ${status}.*Gave up after 1 attempt\\.$`));
  });
});

test('a private address is refused at every delivery, and the attempt is retried', async () => {
  channel = await ours.channel('chat_webhook', 'https://10.1.2.3/hook');
  await ours.happen();
  expect(await attempted(1)).toMatchObject({
    state: 'retrying',
    lastError: expect.stringContaining('private address'),
  });
});

test('disabling drops what is on its way, and enabling does not bring it back', async () => {
  chat.otherwise(503);
  await ours.happen();
  await attempted(1);
  await change({ enabled: false });
  expect(await ours.sent(channel)).toMatchObject([{ state: 'dropped', lastError: 'The channel was disabled.' }]);
  await ours.happen();
  expect(await ours.sent(channel)).toHaveLength(1);
  chat.otherwise(200);
  await change({ enabled: true });
  const { id } = await newest();
  await ours.deliver();
  const actor = ground.temporal.client.workflow.getHandle(actorId('notification-delivery', id));
  expect(await actor.result()).toBe('dropped');
  expect(atPath()).toHaveLength(1);
  await ours.happen();
  await until('the next event arrives', async () => {
    await ours.deliver();
    return (await newest()).state === 'delivered';
  });
});

test('a new secret clears the last error, and is tried at once', async () => {
  chat.otherwise(503);
  await ours.happen();
  await attempted(1);
  path = `${path}new`;
  chat.otherwise(200);
  expect((await change({ secret: chat.url(path) })).lastError).toBeNull();
  await delivered('delivered');
  expect(atPath()).toHaveLength(1);
});

test('deleting drops what is on its way and erases the secret', async () => {
  chat.otherwise(503);
  await ours.happen();
  await attempted(1);
  await effect(ground.database, tester, async (deleting) =>
    deleteNotificationChannel(deleting, ours.organizationId, await ours.now(channel)),
  );
  expect(await ours.sent(channel)).toMatchObject([{ state: 'dropped', lastError: 'The channel was deleted.' }]);
  const { rows } = await sql`select sealed, hint from notification_channel where id = ${channel.id}`.execute(
    ground.database.kysely,
  );
  expect(rows).toEqual([{ sealed: null, hint: '' }]);
});

test('an event reaches a channel once, however often it is told', async () => {
  await ours.happen();
  await delivered('delivered');
  const { rows } = await sql<{ occasion: string }>`
    insert into queued_delivery (id, organization_id, notification_channel_id, occasion, kind, title, body, link)
    select gen_random_uuid(), organization_id, notification_channel_id, occasion, kind, title, body, link
    from delivery where notification_channel_id = ${channel.id} returning occasion`.execute(ground.database.kysely);
  expect(rows).toHaveLength(1);
  expect(await startForgottenDeliveries(ground.database)).toBe(0);
  expect(await ours.sent(channel)).toHaveLength(1);
});

test('neither the address nor the text is in the history of the workflow, or in the log', async () => {
  chat.answers(503);
  await ours.happen();
  await attempted(1);
  const { id } = await newest();
  const history = await ground.temporal.client.workflow.getHandle(actorId('notification-delivery', id)).fetchHistory();
  const decoded = JSON.stringify(await historyEvents(History.encode(history).finish(), payloadCodec(ground.keys)));
  expect(decoded).toContain('answered 503');
  const everything = `${decoded}\n${JSON.stringify(ground.lines)}`;
  expect(everything).not.toContain('s3cret');
  expect(everything).not.toContain('It failed.');
});

test('what does not answer holds up nobody else; of one channel only some are under way, and all arrive in the end', async () => {
  const dead = channel;
  const deadPath = path;
  chat.otherwise('hang');
  const many = mostUnderWay + 20;
  for (let index = 0; index < many; index += 1) await ours.happen();
  const states = async () => Map.groupBy(await ours.sent(dead), ({ state }) => state);
  expect((await states()).get('queued')).toHaveLength(20);
  void ours.deliver();
  await until('it is tried', async () => chat.requests.some((one) => one.path === deadPath));
  path = `${deadPath}other`;
  channel = await ours.channel('chat_webhook', chat.url(path));
  chat.otherwise((request, response) => {
    if (request.path === path) response.end('ok');
  });
  await ours.happen();
  await delivered('delivered');
  expect((await states()).get('delivered')).toBeUndefined();
});

testInAll('ten thousand messages to a host that does not answer do not hold one to another', async () => {
  const dead = channel;
  chat.otherwise((request, response) => {
    if (request.path !== path) response.end('ok');
  });
  await sql`
    insert into queued_delivery (id, organization_id, notification_channel_id, occasion, kind, title, body, link)
    select gen_random_uuid(), ${ours.organizationId}, ${dead.id}, n::text, 'failure', n::text, '', '{"type": "cluster"}'
    from generate_series(1, 10000) as n`.execute(ground.database.kysely);
  expect(await startForgottenDeliveries(ground.database)).toBe(mostUnderWay);
  void ours.deliver();
  await until('it is tried', async () => atPath().length > 0);
  channel = await ours.channel('chat_webhook', chat.url(`${path}other`));
  await ours.happen();
  await delivered('delivered');
  expect((await ours.now(dead)).pending).toBe(10_001);
});
