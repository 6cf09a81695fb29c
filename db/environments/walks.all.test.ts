import { afterAll, beforeAll, test } from 'vitest';
import { environmentWalks, walkEnvironments } from '../../test/walks/environments/shrunk-walk.ts';
import { type WalkGround, walkGround } from '../../test/walks/walk-ground.ts';

let ground: WalkGround;
beforeAll(async () => {
  ground = await walkGround();
});
afterAll(() => ground.close());

test.each(environmentWalks)(
  'running, drift, held and staged are together what two people want of two environments: walk %i',
  (walk) => walkEnvironments(ground, walk, 60),
);
