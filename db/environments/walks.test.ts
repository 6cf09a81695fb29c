import { afterAll, inject, test } from 'vitest';
import { environmentWalks, walkEnvironments } from '../../test/walks/environments/shrunk-walk.ts';
import { walkGround } from '../../test/walks/walk-ground.ts';

const ground = await walkGround();
afterAll(() => ground.close());

test('running, drift, held and staged are together what two people want of two environments', () =>
  walkEnvironments(ground, environmentWalks[inject('seed') % environmentWalks.length] ?? 1, 60));
