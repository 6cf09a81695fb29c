import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { deleteOrganization, restoreOrganization } from '../../db/deletions/deletions.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { createKeysFile, openKeyring } from '../../db/keys/keys.ts';
import {
  deleteNotificationChannel,
  findNotificationChannel,
  lockNotificationChannel,
  type NotificationChannelView,
  updateNotificationChannel,
} from '../../db/notification-channels/notification-channels.ts';
import { type Outgoing, type OutgoingKind, outgoing } from '../../db/notification-channels/outgoing.ts';
import {
  type IncidentSubject,
  mostUnderWay,
  resolveIncidents,
  startForgottenDeliveries,
} from '../../db/notification-channels/tell-channels.ts';
import { notify } from '../../db/notifications/notify.ts';
import type { AttemptAnswer } from '../../outbound/channels/attempt.ts';
import { type ChannelGround, channelGround, routingKey } from '../../test/actors/grounds/channel-ground.ts';
import { inActor } from '../../test/actors/in-actor.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { until } from '../../test/ground/until.ts';
import { machine } from '../../test/seeds/seed.ts';
import { attempt, failAttempts } from './attempt.ts';
import { attemptTurns, type Turns } from './turns.ts';

let ours: ChannelGround;
let chat: NotificationChannelView;
let turns: Turns;
const fresh = await freshDatabase();
const directory = await mkdtemp(join(tmpdir(), 'ballast-attempts-'));
await createKeysFile(join(directory, 'kek.json'));
const keyring = await openKeyring(fresh.database, join(directory, 'kek.json'));
beforeEach(async () => {
  turns = attemptTurns(40);
  ours = await channelGround({ database: fresh.database, keyring });
  chat = await ours.channel('chat_webhook', 'https://chat.example/a');
});
afterAll(async () => {
  await fresh.drop();
  await rm(directory, { recursive: true });
});
afterEach(async () => expect(await lockWaiters(fresh.database)).toBe(0));

const delivered: AttemptAnswer = { outcome: 'delivered' };
const failed: AttemptAnswer = { outcome: 'retry', error: 'chat.example answered 503.' };
const refused: AttemptAnswer = { outcome: 'ended', error: 'chat.example answered 404.' };
const subject: IncidentSubject = 'cluster c';

const kindOf = (kind: OutgoingKind, send: () => Promise<AttemptAnswer>) => ({
  ...{ kind, gone: 'dropped', send, arrived: () => ({ state: 'delivered', over: true }), retrying: () => 'retrying' },
  rests: ({ state, resolved }: Outgoing) => state === 'open' && !resolved,
});

/** One attempt as its actor makes it, which knows the row as it is now. */
async function attempted(id: string, send: () => Promise<AttemptAnswer>, kind: OutgoingKind = 'notification-delivery') {
  const ref = { organizationId: ours.organizationId, id };
  const revision = (await outgoing(fresh.database.kysely, kind, ref))?.revision ?? 0;
  const parts = { database: fresh.database, keyring, publicUrl: 'https://ballast.example', turns };
  return await inActor('notification-delivery/a', () => attempt(parts, kindOf(kind, send), { ...ref, revision }));
}
/** An attempt that waits for its answer. */
async function slowly(id: string) {
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<AttemptAnswer>()];
  const slow = attempted(id, () => {
    begun.resolve();
    return answered.promise;
  });
  await begun.promise;
  return { slow, answered };
}
const newest = async (channel = chat) => {
  const [one] = await ours.sent(channel);
  if (one === undefined) throw new Error('Nothing was sent.');
  return one;
};
const happened = async () => {
  await ours.happen();
  return (await newest()).id;
};
const waiting = (count: number) =>
  until(`${count} wait for locks`, async () => (await lockWaiters(fresh.database)) === count);
const change = (changing: Effect, changes: Parameters<typeof updateNotificationChannel>[4], which = chat) =>
  updateNotificationChannel(changing, keyring, ours.organizationId, which, changes);
const locked = (work: (effect: Effect) => Promise<unknown>, which = chat) =>
  effect(fresh.database, machine, async (changing) => {
    await lockNotificationChannel(changing, ours.organizationId, which.id);
    return await work(changing);
  });

test('an attempt that ends while its channel is disabled finds it dropped: neither waits for the other', async () => {
  const id = await happened();
  const answered = Promise.withResolvers<AttemptAnswer>();
  const attempting = attempted(id, () => answered.promise);
  await locked(async (changing) => {
    answered.resolve(failed);
    await waiting(1);
    await change(changing, { enabled: false });
  });
  expect(await attempting).toMatchObject({ state: 'dropped', error: 'The channel was disabled.' });
  expect(await newest()).toMatchObject({ state: 'dropped', attempts: 0 });
  expect((await ours.now(chat)).lastError).toBeNull();
});

test('an attempt that ends while its channel is deleted finds it dropped', async () => {
  const id = await happened();
  const answered = Promise.withResolvers<AttemptAnswer>();
  const attempting = attempted(id, () => answered.promise);
  await locked(async (deleting) => {
    answered.resolve(delivered);
    await waiting(1);
    await deleteNotificationChannel(deleting, ours.organizationId, chat);
  });
  expect(await attempting).toMatchObject({ state: 'dropped', error: 'The channel was deleted.' });
  expect(await findNotificationChannel(fresh.database.kysely, ours.organizationId, chat.id)).toBeUndefined();
});

test('an event that happens while its channel is being disabled is not queued behind those that were dropped', async () => {
  let happening: Promise<unknown> = Promise.resolve();
  await locked(async (changing) => {
    await change(changing, { enabled: false });
    happening = ours.happen();
    await waiting(1);
  });
  await happening;
  expect(await ours.sent(chat)).toEqual([]);
});

test('a channel that is disabled while an event happens drops that, too', async () => {
  const happening = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const telling = effect(fresh.database, machine, async (effect) => {
    await notify(effect, {
      ...{ organizationId: ours.organizationId, occasion: 'slow', to: {}, channels: { chat: true } },
      message: { kind: 'failure', title: 'Slow', body: '', link: { type: 'cluster' } },
    });
    told.resolve();
    await happening.promise;
  });
  await told.promise;
  const disabling = locked((changing) => change(changing, { enabled: false }));
  await waiting(1);
  happening.resolve();
  await telling;
  await disabling;
  expect(await ours.sent(chat)).toMatchObject([{ title: 'Slow', state: 'dropped' }]);
});

test('what is well again is told while its pager is disabled: neither waits for the other', async () => {
  const pager = await ours.channel('incident_pager', routingKey);
  await effect(fresh.database, machine, (changing) => change(changing, { events: ['failure', 'deploy'] }, pager));
  await ours.happen(subject);
  const resolved = Promise.withResolvers<void>();
  const resolving = effect(fresh.database, machine, async (mending) => {
    await resolveIncidents(mending, ours.organizationId, subject);
    resolved.resolve();
    await waiting(1);
    await notify(mending, {
      ...{ organizationId: ours.organizationId, occasion: 'live', to: {}, channels: { chat: true } },
      message: { kind: 'deploy', title: 'Live', body: '', link: { type: 'cluster' } },
    });
  });
  await resolved.promise;
  await Promise.all([resolving, locked((changing) => change(changing, { enabled: false }, pager), pager)]);
  expect(await newest(pager)).toMatchObject({ state: 'dropped' });
});

test('two that arrive at once leave no error behind, which each of them would have kept for the other', async () => {
  const [first, second] = [await happened(), await happened()];
  for (const id of [first, second]) await attempted(id, async () => failed);
  expect((await ours.now(chat)).lastError).toContain('Attempt 1 of 24');
  let both: Promise<unknown> = Promise.resolve();
  await locked(async () => {
    // In two workers: of a failing channel each attempts one at a time.
    turns = { take: () => ({ giveBack: () => undefined }) };
    both = Promise.all([first, second].map((id) => attempted(id, async () => delivered)));
    await waiting(2);
  });
  await both;
  expect(await ours.now(chat)).toMatchObject({ lastError: null, retrying: 0, lastDeliveredAt: expect.any(Date) });
});

test('two workers that attempt the same delivery count one attempt, and the row keeps what came first', async () => {
  const id = await happened();
  const { slow, answered } = await slowly(id);
  expect(await attempted(id, async () => delivered)).toMatchObject({ state: 'delivered', revision: 1 });
  answered.resolve(failed);
  expect(await slow).toMatchObject({ state: 'delivered', revision: 1 });
  expect(await newest()).toMatchObject({ attempts: 1, lastError: null });
  expect((await ours.now(chat)).lastError).toBeNull();
  const never = () => Promise.reject(new Error('It was sent again.'));
  expect(await attempted(id, never)).toMatchObject({ state: 'delivered' });
});

test('two workers that fail with the same delivery count one attempt', async () => {
  const id = await happened();
  const { slow, answered } = await slowly(id);
  await attempted(id, async () => failed);
  answered.resolve(refused);
  expect(await slow).toMatchObject({ state: 'retrying', revision: 1 });
  expect(await newest()).toMatchObject({ state: 'retrying', attempts: 1 });
});

test('an attempt whose row was written to since sends nothing', async () => {
  const id = await happened();
  await attempted(id, async () => failed);
  const parts = { database: fresh.database, keyring, publicUrl: 'https://ballast.example', turns };
  const never = () => Promise.reject(new Error('It was sent again.'));
  const ref = { organizationId: ours.organizationId, id, revision: 0 };
  const says = await inActor('notification-delivery/a', () =>
    attempt(parts, kindOf('notification-delivery', never), ref),
  );
  expect(says).toMatchObject({ state: 'retrying', revision: 1 });
  expect(says.waitMillis).toBeGreaterThan(0);
});

test('an attempt that fails with a secret that was replaced meanwhile does not count, and is made again at once', async () => {
  const id = await happened();
  for (const answer of [failed, refused]) {
    const says = await attempted(id, async () => {
      await locked((changing) => change(changing, { secret: 'https://chat.example/b' }));
      return answer;
    });
    expect(says).toMatchObject({ state: 'sending', waitMillis: 0 });
  }
  expect(await newest()).toMatchObject({ attempts: 0, lastError: null });
  expect((await ours.now(chat)).lastError).toBeNull();
  expect(await attempted(id, async () => delivered)).toMatchObject({ state: 'delivered' });
});

test('nothing of a deleted organization is sent; restored, it goes on', async () => {
  const id = await happened();
  const deletion = await effect(fresh.database, machine, (deleting) =>
    deleteOrganization(deleting, ours.organizationId),
  );
  const never = () => Promise.reject(new Error('It was sent.'));
  expect(await attempted(id, never)).toMatchObject({ state: 'sending', held: true, waitMillis: 900_000 });
  await sql`insert into queued_delivery (id, organization_id, notification_channel_id, occasion, kind, title, body, link)
    values (gen_random_uuid(), ${ours.organizationId}, ${chat.id}, 'waits', 'failure', 'Waits', '', '{"type":"cluster"}')`.execute(
    fresh.database.kysely,
  );
  expect(await startForgottenDeliveries(fresh.database)).toBe(0);
  await effect(fresh.database, machine, (mending) => restoreOrganization(mending, deletion?.deletionId ?? ''));
  expect(await startForgottenDeliveries(fresh.database)).toBe(1);
  expect(await attempted(id, async () => delivered)).toMatchObject({ state: 'delivered' });
});

test('an open incident has nothing to send until it is resolved; of a disabled channel it is dropped without an error', async () => {
  const pager = await ours.channel('incident_pager', routingKey);
  await ours.happen(subject);
  const { id } = await newest(pager);
  await sql`update incident set state = 'open' where id = ${id}`.execute(fresh.database.kysely);
  const never = () => Promise.reject(new Error('It was sent.'));
  expect(await attempted(id, never, 'incident')).toEqual({ state: 'open', revision: 0, waitMillis: null });
  await locked((changing) => change(changing, { enabled: false }, pager), pager);
  await ours.wellAgain(subject);
  expect(await attempted(id, never, 'incident')).toMatchObject({ state: 'dropped' });
  expect(await newest(pager)).toMatchObject({ state: 'dropped', lastError: 'The channel is disabled.', attempts: 0 });
  expect((await ours.now(pager)).lastError).toBeNull();
});

test('two events about the same thing at once open one incident, and one that is resolved is followed by another', async () => {
  const pager = await ours.channel('incident_pager', routingKey);
  await Promise.all([ours.happen(subject), ours.happen(subject), ours.happen(subject)]);
  expect(await ours.sent(pager)).toHaveLength(1);
  await ours.wellAgain(subject);
  await Promise.all([ours.happen(subject), ours.wellAgain('cluster other'), ours.happen(subject)]);
  expect(await ours.sent(pager)).toHaveLength(2);
});

test('one that its operator ends makes room for the next', async () => {
  for (let count = 0; count <= mostUnderWay; count += 1) await ours.happen();
  const all = await ours.sent(chat);
  expect(all[0]?.state).toBe('queued');
  const ref = { organizationId: ours.organizationId, id: all.at(-1)?.id ?? '' };
  const parts = { database: fresh.database };
  const ended = await inActor('notification-delivery/a', () =>
    failAttempts(
      parts,
      kindOf('notification-delivery', async () => failed),
      ref,
      'Ended.',
    ),
  );
  expect(ended.state).toBe('failed');
  expect((await newest()).state).toBe('sending');
  // So does one that arrives.
  await ours.happen();
  expect((await newest()).state).toBe('queued');
  expect(await attempted(all.at(-2)?.id ?? '', async () => delivered)).toMatchObject({ state: 'delivered' });
  expect((await newest()).state).toBe('sending');
});
