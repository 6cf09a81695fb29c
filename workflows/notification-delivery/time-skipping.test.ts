import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { actorStart } from '../../db/workflows/actor-rows.ts';
import { gaveUpSentence, mostAttempts, waitAfter } from '../../domain/notifications/retries.ts';
import { channelGround, routingKey } from '../../test/actors/channel-ground.ts';
import { skippingGround } from '../../test/actors/skipping-ground.ts';
import { receiver } from '../../test/ground/receiver.ts';
import type { ActorKind } from '../descriptors.ts';

const other = await receiver();
other.otherwise(503);
afterAll(() => other.close());
const { ground, skips, start } = await skippingGround(async () => ({ outbound: other.rules, pagerUrl: other.url() }));

describe.skipIf(!skips)('a channel that is down for a day', () => {
  test.each([
    ['notification-delivery', 'chat_webhook'],
    ['incident', 'incident_pager'],
  ] as const)('%s: after 24 attempts, each later than the one before it, it gives up', async (kind, channelKind) => {
    const ours = await channelGround(ground);
    const path = `/hook/${kind}`;
    const channel = await ours.channel(channelKind, channelKind === 'chat_webhook' ? other.url(path) : routingKey);
    await ours.happen('cluster c');
    const [sent] = await ours.sent(channel);
    const id = sent?.id ?? '';
    // Nothing else tells it: the relay and the other Temporal know nothing of this one.
    await sql`delete from outbox where organization_id = ${ours.organizationId}`.execute(ground.database.kysely);
    const handle = await begin(kind, id);
    expect(await handle.result()).toBe('failed');
    const { startTime, closeTime } = await handle.describe();
    const waits = Array.from({ length: mostAttempts - 1 }, (_, index) => waitAfter(index + 1));
    const hours = waits.reduce((sum, seconds) => sum + seconds, 0) / 3600;
    expect(hours).toBeGreaterThan(16);
    expect(((closeTime?.getTime() ?? 0) - startTime.getTime()) / 3_600_000).toBeCloseTo(hours, 1);
    const { events } = await handle.fetchHistory();
    const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
      timer == null ? [] : [Number(timer.startToFireTimeout?.seconds ?? 0)],
    );
    // The row's own clock goes on meanwhile, by milliseconds.
    expect(timers.map((seconds, index) => Math.abs(seconds - (waits[index] ?? 0)) <= 1)).toEqual(waits.map(() => true));
    expect(other.requests.filter((one) => one.path === (kind === 'incident' ? '/v2/enqueue' : path))).toHaveLength(24);
    const { lastError } = await ours.now(channel);
    expect(lastError).toContain(gaveUpSentence('', 24).trim());
  });

  async function begin(kind: ActorKind, rowId: string) {
    const row = await actorStart(ground.database.kysely, kind, rowId);
    if (row === undefined) throw new Error(`There is no ${kind} ${rowId}.`);
    const { organizationId, state, input } = row;
    return await start({ kind, rowId, organizationId, state, input });
  }
});
