import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { retryDeliveries } from '../../db/notification-channels/notification-channels.ts';
import { mostUnderWay, startForgottenDeliveries } from '../../db/notification-channels/tell-channels.ts';
import { tester } from '../../test/actors/actors.ts';
import { ChatGround } from '../../test/actors/grounds/chat-ground.ts';
import { until } from '../../test/ground/until.ts';

const at = new ChatGround();
const { newest, delivered, attempted, atPath } = at;

test.each([
  ['408', 408, 'answered 408'],
  ['429', 429, 'answered 429'],
  ['a redirect', { status: 302, headers: { location: 'https://example.com' } }, 'redirect'],
  ['a connection that breaks', 'cut' as const, 'could not be reached'],
])('an attempt that failed by %s is retried, and the channel says so', async (_, answer, why) => {
  at.chat.answers(answer);
  await at.ours.happen();
  const failed = await attempted(1);
  expect(failed).toMatchObject({ state: 'retrying', lastError: expect.stringContaining(why) });
  const { lastError, pending, retrying, nextAttemptAt } = await at.ours.now(at.channel);
  expect(lastError).toMatch(/Attempt 1 of 24; the next is in 30 seconds\.$/);
  expect({ pending, retrying, nextAttemptAt }).toEqual({ pending: 1, retrying: 1, nextAttemptAt: expect.any(Date) });
  await effect(at.actors.database, tester, (asking) => retryDeliveries(asking, at.ours.organizationId, at.channel));
  await delivered('delivered');
  expect(await newest()).toMatchObject({ attempts: 2, lastError: null });
  expect(await at.ours.now(at.channel)).toMatchObject({ lastError: null, retrying: 0 });
  expect(atPath()).toHaveLength(2);
});

test.each([400, 401, 403, 410])('one that failed by %i is not: it ends at once', async (status) => {
  at.chat.answers(status);
  await at.ours.happen();
  await delivered('failed');
  expect(atPath()).toHaveLength(1);
  expect((await at.ours.now(at.channel)).lastError).toMatch(
    new RegExp(`answered ${status}.*Gave up after 1 attempt\\.$`),
  );
});

test('a private address is refused at every delivery, and the attempt is retried', async () => {
  at.channel = await at.ours.channel('chat_webhook', 'https://10.1.2.3/hook');
  await at.ours.happen();
  expect(await attempted(1)).toMatchObject({
    state: 'retrying',
    lastError: expect.stringContaining('private address'),
  });
});

test('what does not answer holds up nobody else; of one channel only some are under way, and all arrive in the end', async () => {
  const dead = at.channel;
  const deadPath = at.path;
  at.chat.otherwise('hang');
  const many = mostUnderWay + 20;
  for (let index = 0; index < many; index += 1) await at.ours.happen();
  const states = async () => Map.groupBy(await at.ours.sent(dead), ({ state }) => state);
  expect((await states()).get('queued')).toHaveLength(20);
  void at.ours.deliver();
  await until('it is tried', async () => at.chat.requests.some((one) => one.path === deadPath));
  at.path = `${deadPath}other`;
  at.channel = await at.ours.channel('chat_webhook', at.chat.url(at.path));
  at.chat.otherwise((request, response) => {
    if (request.path === at.path) response.end('ok');
  });
  await at.ours.happen();
  await delivered('delivered');
  expect((await states()).get('delivered')).toBeUndefined();
});

test('ten thousand messages to a host that does not answer do not hold one to another', async () => {
  const dead = at.channel;
  at.chat.otherwise((request, response) => {
    if (request.path !== at.path) response.end('ok');
  });
  await sql`
    insert into queued_delivery (id, organization_id, notification_channel_id, occasion, kind, title, body, link)
    select gen_random_uuid(), ${at.ours.organizationId}, ${dead.id}, n::text, 'failure', n::text, '', '{"type": "cluster"}'
    from generate_series(1, 10000) as n`.execute(at.actors.database.kysely);
  expect(await startForgottenDeliveries(at.actors.database)).toBe(mostUnderWay);
  void at.ours.deliver();
  await until('it is tried', async () => atPath().length > 0);
  at.channel = await at.ours.channel('chat_webhook', at.chat.url(`${at.path}other`));
  await at.ours.happen();
  await delivered('delivered');
  expect((await at.ours.now(dead)).pending).toBe(10_001);
});
