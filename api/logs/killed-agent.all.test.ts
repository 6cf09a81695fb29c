import { afterAll, expect, test } from 'vitest';
import { floodedLog, followedNumbers, pagedNumbers } from '../../test/agents/flooded-log.ts';
import { patient } from '../../test/run/patience.ts';

/** As long as it takes a busy application to fill its log. */
const seconds = 45;
const linesPerSecond = 10_000;
const count = seconds * linesPerSecond;
const flood = await floodedLog(seconds, linesPerSecond);
afterAll(() => flood.close());

test(
  'an agent is killed half way: who follows and who pages afterwards get every line once',
  async () => {
    const all = Array.from({ length: count }, (_, number) => number);
    let replaced: Promise<void> | undefined;
    const followed = await followedNumbers(flood, count, (seen) => {
      if (seen >= count / 2) replaced ??= flood.replaceAgent();
    });
    await replaced;
    expect(followed).toEqual(all);
    expect(await pagedNumbers(flood)).toEqual(all);
  },
  patient(600_000),
);
