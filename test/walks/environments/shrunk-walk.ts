import type { WalkGround } from '../walk-ground.ts';
import { type Step, shrunk, stepsIn, stepsOf, textOf } from './steps.ts';
import { EnvironmentWalk } from './walk.ts';

/** Steps of a walk that failed, to be walked again: `WALK='stage 3 1 4 1; apply 5 9 2 6'`. */
const given = process.env.WALK;

/** Walks that are known to stay within what the model says; of others some leave it. */
export const environmentWalks = Array.from({ length: 200 }, (_, at) => at + 1);

/** Walks some steps of a walk by its number. What fails is told with the fewest steps that still fail. */
export async function walkEnvironments(ground: WalkGround, number: number, count: number): Promise<void> {
  const steps = given === undefined ? stepsOf(number, count) : stepsIn(given);
  const failure = await failureOf(ground, steps);
  if (failure === undefined) return;
  const fewer = await shrunk(steps, async (some) => (await failureOf(ground, some)) !== undefined);
  const last = (await failureOf(ground, fewer)) ?? failure;
  last.message = `Walk ${number}, shrunk: WALK='${textOf(fewer)}'\n${last.message}`;
  throw last;
}

async function failureOf(ground: WalkGround, steps: readonly Step[]): Promise<Error | undefined> {
  try {
    await EnvironmentWalk.walk(ground, ground.organizationId, steps);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
