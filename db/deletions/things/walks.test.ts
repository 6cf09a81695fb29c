import { afterAll, inject, test } from 'vitest';
import { walkDeletions } from '../../../test/walks/deletion-walk.ts';
import { walkGround } from '../../../test/walks/walk-ground.ts';

const ground = await walkGround();
afterAll(() => ground.close());

test('deleted, restored and purged in any order, all is where a naive model has it', () =>
  walkDeletions(ground, inject('seed'), 25));
