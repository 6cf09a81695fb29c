import { expect, test } from 'vitest';
import { Pace } from './agent-route.ts';

test('each may go on a few times at once, then as often as is said, and nobody on account of others', () => {
  const pace = new Pace({ perSecond: 2, atOnce: 3 });
  expect([0, 0, 0, 0].map((now) => pace.allows('a', now))).toEqual([true, true, true, false]);
  expect(pace.allows('b', 0)).toBe(true);
  // Asking in vain gains and loses nothing.
  expect([400, 450, 510, 520].map((now) => pace.allows('a', now))).toEqual([false, false, true, false]);
  expect([9_000, 9_000, 9_000, 9_000].map((now) => pace.allows('a', now))).toEqual([true, true, true, false]);
});
