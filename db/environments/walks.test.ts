import { afterAll, beforeAll, test } from 'vitest';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { cellsOf } from '../../test/run/matrix.ts';
import { type Step, shrunk, stepsIn, stepsOf, textOf } from '../../test/walks/environments/steps.ts';
import { EnvironmentWalk } from '../../test/walks/environments/walk.ts';

let api: RunningApi;
let ours: Seeded;
beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

async function failureOf(steps: readonly Step[]): Promise<Error | undefined> {
  try {
    await EnvironmentWalk.walk(api, ours.organizationId, steps);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Steps of a walk that failed, to be walked again: `WALK='stage 3 1 4 1; apply 5 9 2 6'`. */
const given = process.env.WALK;
const seeds = Array.from({ length: 200 }, (_, at) => at + 1);

test.each(given === undefined ? cellsOf(seeds, (one) => one <= 2) : [0])(
  'running, drift, held and staged are together what two people want of two environments: walk %i',
  async (one) => {
    const steps = given === undefined ? stepsOf(one, 60) : stepsIn(given);
    const failure = await failureOf(steps);
    if (failure === undefined) return;
    const fewer = await shrunk(steps, async (some) => (await failureOf(some)) !== undefined);
    const last = (await failureOf(fewer)) ?? failure;
    last.message = `Seed ${one}, shrunk: WALK='${textOf(fewer)}'\n${last.message}`;
    throw last;
  },
);
