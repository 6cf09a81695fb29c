import { afterAll, inject, test } from 'vitest';
import { walkDeletions } from '../../../test/walks/deletion-walk.ts';
import { walkGround } from '../../../test/walks/walk-ground.ts';

const ground = await walkGround();
afterAll(() => ground.close());

/** Beyond the one of `npm test`. */
const further = Array.from({ length: 40 }, (_, at) => inject('seed') + 1 + at);

test.each(further)('deleted, restored and purged in any order, all is where a naive model has it: walk %i', (seed) =>
  walkDeletions(ground, seed, 25),
);
