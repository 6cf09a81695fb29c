import { expect, test } from 'vitest';
import { Pace } from './kept-part.ts';

test('a part that was ready comes back at once, and slowly when it ends again and again', () => {
  let now = 0;
  const pace = new Pace(() => now);
  const delays = Array.from({ length: 9 }, () => {
    now += 1_000;
    return pace.afterEnd(true);
  });
  expect(delays).toEqual([0, 0, 0, 0, 0, 0, 250, 500, 1_000]);
  now += 60_001;
  expect(pace.afterEnd(true)).toBe(0);
});

test('one that never gets ready is tried more and more slowly, and never given up', () => {
  let now = 0;
  const pace = new Pace(() => now);
  const delays = Array.from({ length: 200 }, () => {
    const delay = pace.afterEnd(false);
    now += delay;
    return delay;
  });
  expect(delays.slice(0, 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000]);
  expect(Math.max(...delays)).toBe(10_000);
  expect(Math.min(...delays.slice(7))).toBeGreaterThanOrEqual(8_000);
});
