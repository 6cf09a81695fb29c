import { afterAll, describe, test } from 'vitest';
import { givesUp } from '../../test/actors/grounds/channel-down.ts';
import { skippingGround } from '../../test/actors/grounds/skipping-ground.ts';
import { receiver } from '../../test/ground/receiver.ts';

const other = await receiver();
other.otherwise(503);
afterAll(() => other.close());
const world = await skippingGround(async () => ({ outbound: other.rules, pagerUrl: other.url() }));

describe.skipIf(!world.skips)('a channel that is down for a day', () => {
  test.each(['notification-delivery', 'incident'] as const)(
    '%s: after 24 attempts, each later than the one before it, it gives up',
    (kind) => givesUp(world, other, kind),
  );
});
