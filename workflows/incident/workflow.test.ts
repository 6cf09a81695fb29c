import { afterAll, beforeEach, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import {
  deleteNotificationChannel,
  type NotificationChannelView,
  retryDeliveries,
  updateNotificationChannel,
} from '../../db/notification-channels/notification-channels.ts';
import type { IncidentSubject } from '../../db/notification-channels/tell-channels.ts';
import { actorsGround, tester } from '../../test/actors/actors.ts';
import { type ChannelGround, channelGround, routingKey } from '../../test/actors/grounds/channel-ground.ts';
import { receiver } from '../../test/ground/receiver.ts';
import { until } from '../../test/ground/until.ts';

let ours: ChannelGround;
let channel: NotificationChannelView;
let key: string;
let keys = 0;

const ground = await actorsGround();
const pager = await receiver();
const stopServing = await ground.serve({ outbound: pager.rules, pagerUrl: pager.url() });
afterAll(async () => {
  await stopServing();
  await pager.close();
  await ground.close();
});
beforeEach(async () => {
  pager.otherwise(202);
  ours = await channelGround(ground);
  keys += 1;
  key = `${routingKey}${keys}`;
  channel = await ours.channel('incident_pager', key);
});

const subject: IncidentSubject = 'cluster c';
interface Event {
  routing_key: string;
  event_action: string;
  dedup_key: string;
}
const events = () =>
  pager.requests.flatMap(({ path, body }) =>
    path === '/v2/enqueue' && (body as Event).routing_key === key ? [body as Event] : [],
  );
const actions = () => events().map(({ event_action: action }) => action);
const states = async () => (await ours.sent(channel)).map(({ state }) => state);
const become = (...wanted: string[]) =>
  until(`the incidents are ${wanted.join(', ')}`, async () => {
    await ours.deliver();
    return (await states()).join() === wanted.join();
  });
const retry = () => effect(ground.database, tester, (asking) => retryDeliveries(asking, ours.organizationId, channel));
const attempts = (count: number) =>
  until(`${count} attempts`, async () => {
    await ours.deliver();
    return (await ours.sent(channel))[0]?.attempts === count;
  });

test('what is wrong triggers an incident once, and what is well again resolves it', async () => {
  const title = await ours.happen(subject);
  await become('open');
  await ours.happen(subject);
  expect(await states()).toEqual(['open']);
  await ours.wellAgain(subject);
  await become('resolved');
  await ours.wellAgain(subject);
  expect(actions()).toEqual(['trigger', 'resolve']);
  const [trigger, resolve] = events();
  expect(trigger).toMatchObject({
    payload: { summary: title, severity: 'error', source: 'ballast.example.com' },
    links: [{ href: expect.stringMatching(/^https:\/\/ballast\.example\.com\/.*\/clusters\//) }],
  });
  expect(resolve).toEqual({ routing_key: key, event_action: 'resolve', dedup_key: trigger?.dedup_key });
});

test('what flaps is another incident each time, and none of them is triggered after its resolve', async () => {
  for (let times = 0; times < 2; times += 1) {
    await ours.happen(subject);
    await ours.wellAgain(subject);
  }
  await become('resolved', 'resolved');
  const byKey = Map.groupBy(events(), ({ dedup_key: dedupKey }) => dedupKey);
  expect([...byKey.values()].map((some) => some.map((one) => one.event_action))).toEqual(
    Array(2).fill(['trigger', 'resolve']),
  );
});

test('resolved while its trigger is retried, it is triggered first and then resolved', async () => {
  pager.otherwise(503);
  await ours.happen(subject);
  await attempts(1);
  await ours.wellAgain(subject);
  await ours.deliver();
  // The trigger waits for its time: being resolved makes it no sooner.
  await retry();
  await attempts(2);
  expect(await states()).toEqual(['triggering']);
  pager.otherwise(202);
  await retry();
  await become('resolved');
  expect(actions()).toEqual(['trigger', 'trigger', 'trigger', 'resolve']);
  expect(new Set(events().map((event) => event.dedup_key)).size).toBe(1);
});

test('the attempts of the resolve are its own', async () => {
  await ours.happen(subject);
  await become('open');
  pager.otherwise(500);
  await ours.wellAgain(subject);
  await become('resolving');
  await attempts(1);
  expect((await ours.now(channel)).lastError).toContain('Attempt 1 of 24; the next is in 30 seconds');
  pager.otherwise(202);
  await retry();
  await become('resolved');
});

test('a routing key that the pager refuses ends it at once', async () => {
  pager.otherwise(400);
  await ours.happen(subject);
  await become('failed');
  expect(actions()).toEqual(['trigger']);
  expect((await ours.now(channel)).lastError).toMatch(/answered 400, .* Gave up after 1 attempt\.$/);
});

test('disabled, it drops what is on its way; an incident that is open is resolved if it is enabled again by then', async () => {
  const change = (enabled: boolean) =>
    effect(ground.database, tester, async (changing) =>
      updateNotificationChannel(changing, ground.keyring, ours.organizationId, await ours.now(channel), { enabled }),
    );
  await ours.happen(subject);
  await become('open');
  await change(false);
  await ours.happen('cluster other');
  expect(await states()).toEqual(['open']);
  await change(true);
  await ours.wellAgain(subject);
  await become('resolved');
  await ours.happen(subject);
  await become('open', 'resolved');
  await change(false);
  await ours.wellAgain(subject);
  await become('dropped', 'resolved');
  expect(actions()).toEqual(['trigger', 'resolve', 'trigger']);
});

test('deleted, it drops what is open, too', async () => {
  await ours.happen(subject);
  await become('open');
  await effect(ground.database, tester, async (deleting) =>
    deleteNotificationChannel(deleting, ours.organizationId, await ours.now(channel)),
  );
  expect(await states()).toEqual(['dropped']);
});

test('an event that is none of the two kinds that page opens nothing, whatever the pager has subscribed to', async () => {
  await effect(ground.database, tester, async (changing) =>
    updateNotificationChannel(changing, ground.keyring, ours.organizationId, await ours.now(channel), {
      events: ['approval', 'failure', 'warning', 'deploy'],
    }),
  );
  await ours.happen();
  expect(await states()).toEqual([]);
});
