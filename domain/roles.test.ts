import { expect, test } from 'vitest';
import { mayActAs, roles } from './roles.ts';

test('each role may do what the ones below it may, and nothing above', () => {
  for (const [height, held] of roles.entries()) {
    for (const [needed, role] of roles.entries()) expect(mayActAs(held, role)).toBe(height >= needed);
  }
});
