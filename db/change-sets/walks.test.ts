import { afterAll, inject, test } from 'vitest';
import { walkChangeSets } from '../../test/walks/change-set-walk.ts';
import { DeliveryWalk, deliveryWalks } from '../../test/walks/delivery-walk.ts';
import { walkGround } from '../../test/walks/walk-ground.ts';

const ground = await walkGround();
afterAll(() => ground.close());

test('staged and applied are what was wanted, and nothing is lost', () => walkChangeSets(ground, inject('seed'), 40));

test('of two people nothing is lost, nothing applied twice, and each change shown once', () =>
  DeliveryWalk.walk(ground, deliveryWalks[inject('seed') % deliveryWalks.length] ?? 1, 25));
