import { expect, test } from 'vitest';

test.each(Array.from({ length: 200 }, (_, index) => index))('it ends soon: %i', () => {
  expect(true).toBe(true);
});
