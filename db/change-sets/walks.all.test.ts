import { afterAll, inject, test } from 'vitest';
import { walkChangeSets } from '../../test/walks/change-set-walk.ts';
import { DeliveryWalk, deliveryWalks } from '../../test/walks/delivery-walk.ts';
import { walkGround } from '../../test/walks/walk-ground.ts';

const ground = await walkGround();
afterAll(() => ground.close());

/** Beyond the one of `npm test`. */
const further = Array.from({ length: 20 }, (_, at) => inject('seed') + 1 + at);

test.each(further)('staged and applied are what was wanted, and nothing is lost: walk %i', (seed) =>
  walkChangeSets(ground, seed, 60),
);

test.each(deliveryWalks)(
  'of two people nothing is lost, nothing applied twice, and each change shown once: walk %i',
  (walk) => DeliveryWalk.walk(ground, walk, 30),
);
