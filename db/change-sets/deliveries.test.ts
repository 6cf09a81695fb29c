import { afterAll, beforeAll, test } from 'vitest';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { cellsOf } from '../../test/run/matrix.ts';
import { DeliveryWalk } from '../../test/walks/delivery-walk.ts';

let api: RunningApi;
let ours: Seeded;
beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

/** Numbers that are the same in each run of a seed. */
function numbers(seedOf: number) {
  let state = seedOf * 48_271;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const walks = Array.from({ length: 40 }, (_, index) => index + 1);

test.each(cellsOf(walks, (walk) => walk <= 3))(
  'of two people nothing is lost, nothing applied twice, and each change shown once: walk %i',
  async (seedOf) => {
    const walk = await DeliveryWalk.begin(api, ours.organizationId, numbers(seedOf));
    try {
      for (let step = 0; step < 30; step += 1) await walk.step();
    } catch (error) {
      const steps = walk.steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n');
      if (error instanceof Error) error.message = `Seed ${seedOf}, after these steps:\n${steps}\n${error.message}`;
      throw error;
    }
  },
);
