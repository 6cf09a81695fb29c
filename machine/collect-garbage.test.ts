import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectGarbage } from './idle-collection.ts';

test('the heap is collected, and what is still needed stays', async () => {
  const make = () => Array.from({ length: 100_000 }, (_, index) => ({ index }));
  const needed = make();
  const garbage = new WeakRef(make());
  // A turn holds all that was made in it until its end.
  await turn();
  await collectGarbage();
  expect(garbage.deref()).toBeUndefined();
  expect(needed).toHaveLength(100_000);
});
