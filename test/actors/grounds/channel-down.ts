import { sql } from 'kysely';
import { expect } from 'vitest';
import { actorStart } from '../../../db/workflows/actor-rows.ts';
import { gaveUpSentence, mostAttempts, waitAfter } from '../../../domain/notifications/retries.ts';
import type { Receiver } from '../../ground/receiver.ts';
import { channelGround, routingKey } from './channel-ground.ts';
import type { SkippingGround } from './skipping-ground.ts';

/**
 * A message to a channel whose other side refuses each attempt gives up after the last of them, each later than the one
 * before. So many as `already` have been made when it begins.
 */
export async function givesUp(
  { ground: { database, ...ground }, start }: SkippingGround,
  other: Receiver,
  kind: 'notification-delivery' | 'incident',
  already = 0,
): Promise<void> {
  const ours = await channelGround({ ...ground, database });
  const path = kind === 'incident' ? '/v2/enqueue' : '/hook';
  const channel =
    kind === 'incident'
      ? await ours.channel('incident_pager', routingKey)
      : await ours.channel('chat_webhook', other.url(path));
  await ours.happen('cluster c');
  const [sent] = await ours.sent(channel);
  // Nothing else tells it: the relay and the other Temporal know nothing of this one.
  await sql`delete from outbox where organization_id = ${ours.organizationId}`.execute(database.kysely);
  const table = kind === 'incident' ? 'incident' : 'delivery';
  const made = sql`update ${sql.table(table)} set attempts = ${already} where id = ${sent?.id ?? ''}`;
  await made.execute(database.kysely);
  const row = await actorStart(database.kysely, kind, sent?.id ?? '');
  if (row === undefined) throw new Error(`There is no ${kind}.`);
  const { organizationId, state, input } = row;
  const handle = await start({ kind, rowId: sent?.id ?? '', organizationId, state, input });
  expect(await handle.result()).toBe('failed');
  const { startTime, closeTime } = await handle.describe();
  const waits = Array.from({ length: mostAttempts - 1 }, (_, index) => waitAfter(index + 1)).slice(already);
  const hours = waits.reduce((sum, seconds) => sum + seconds, 0) / 3600;
  if (already === 0) expect(hours).toBeGreaterThan(16);
  expect(((closeTime?.getTime() ?? 0) - startTime.getTime()) / 3_600_000).toBeCloseTo(hours, 1);
  const { events } = await handle.fetchHistory();
  const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer == null ? [] : [Number(timer.startToFireTimeout?.seconds ?? 0)],
  );
  // The row's own clock goes on meanwhile, by milliseconds.
  expect(timers.map((seconds, index) => Math.abs(seconds - (waits[index] ?? 0)) <= 1)).toEqual(waits.map(() => true));
  expect(other.requests.filter((one) => one.path === path)).toHaveLength(24 - already);
  const { lastError } = await ours.now(channel);
  expect(lastError).toContain(gaveUpSentence('', 24).trim());
}
