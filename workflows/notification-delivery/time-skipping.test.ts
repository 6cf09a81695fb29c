import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actorStart } from '../../db/workflows/actor-rows.ts';
import { gaveUpSentence, mostAttempts, waitAfter } from '../../domain/notifications/retries.ts';
import { searchAttributeNames } from '../../temporal/connection/search-attributes.ts';
import { startActor } from '../../temporal/delivery/start-actor.ts';
import { type ActorsGround, actorsGround, serve } from '../../test/actors/actors.ts';
import { channelGround, routingKey } from '../../test/actors/channel-ground.ts';
import { timeSkipping } from '../../test/actors/time-skipping.ts';
import { type Receiver, receiver } from '../../test/ground/receiver.ts';
import type { ActorKind } from '../descriptors.ts';

const ground: ActorsGround = await actorsGround();
const environment = await timeSkipping(ground.keys);

afterAll(async () => {
  await environment?.teardown();
  await ground.close();
});

describe.skipIf(!environment)('a channel that is down for a day', () => {
  let stopServing: () => Promise<void>;
  let other: Receiver;
  const skipping = () => {
    if (!environment) throw new Error('There is no time-skipping server.');
    return environment;
  };

  beforeAll(async () => {
    const { connection, address } = skipping();
    const searchAttributes = Object.fromEntries(searchAttributeNames.map((name) => [name, 2]));
    await connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
    other = await receiver();
    other.otherwise(503);
    stopServing = await serve({ address, namespace: 'default', tls: false }, ground, {
      outbound: other.rules,
      pagerUrl: other.url(),
    });
  });
  afterAll(async () => {
    await stopServing();
    await other.close();
  });

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
    const start = await actorStart(ground.database.kysely, kind, rowId);
    if (start === undefined) throw new Error(`There is no ${kind} ${rowId}.`);
    const { client } = skipping();
    const { organizationId, state, input } = start;
    await startActor(
      { ...ground.temporal, client, namespace: 'default' },
      { kind, rowId, organizationId, state, input, author: {} },
    );
    return client.workflow.getHandle(`${kind}/${rowId}`);
  }
});
