import { expect, test } from 'vitest';
import { openGate } from './gate.ts';

test('only so many are inside, everyone gets in, and a failure frees its place', async () => {
  const gate = openGate(3);
  let inside = 0;
  let most = 0;
  const tasks = Array.from({ length: 50 }, (_, number) =>
    gate(async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
      if (number % 7 === 0) throw new Error('fails');
      return number;
    }),
  );
  const results = await Promise.allSettled(tasks);
  expect(most).toBe(3);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(42);
});
