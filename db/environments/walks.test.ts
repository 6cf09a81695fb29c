import { afterAll, beforeAll, inject, test } from 'vitest';
import { environmentWalks, walkEnvironments } from '../../test/walks/environments/shrunk-walk.ts';
import { type WalkGround, walkGround } from '../../test/walks/walk-ground.ts';

let ground: WalkGround;
beforeAll(async () => {
  ground = await walkGround();
});
afterAll(() => ground.close());

test('running, drift, held and staged are together what two people want of two environments', () =>
  walkEnvironments(ground, environmentWalks[inject('seed') % environmentWalks.length] ?? 1, 60));
