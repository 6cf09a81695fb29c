import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FloodedLog, floodedLog, followedNumbers, pagedNumbers } from '../agents/flooded-log.ts';

/** As api/logs/killed-agent.test.ts, for as long and as fast as a busy application writes. */
const seconds = 45;
const linesPerSecond = 10_000;
const count = seconds * linesPerSecond;

let flood: FloodedLog;
beforeAll(async () => {
  flood = await floodedLog(seconds, linesPerSecond);
});
afterAll(() => flood?.close());

test('45 seconds of 10,000 lines, the agent killed half way: every line once, followed and paged', async () => {
  const all = Array.from({ length: count }, (_, number) => number);
  let replaced: Promise<void> | undefined;
  const followed = await followedNumbers(flood, count, (seen) => {
    if (seen >= count / 2) replaced ??= flood.replaceAgent();
  });
  await replaced;
  expect(followed).toEqual(all);
  expect(await pagedNumbers(flood)).toEqual(all);
}, 600_000);
