import { expect, test } from 'vitest';
import type { Deployment } from './deployment.ts';
import { exitCodeOf } from './follow.ts';

const codeOf = (...states: string[]) => exitCodeOf(states.map((state) => ({ state }) as Deployment));

test.each([
  ['live', 0],
  ['failed', 1],
  ['rejected', 3],
  ['cancelled', 4],
  ['pending', 5],
  ['expired', 6],
  ['superseded', 7],
] as const)('the exit code of one that is %s is %i', (state, code) => {
  expect(codeOf(state)).toBe(code);
  expect(codeOf('live', state)).toBe(code);
});

test('of several it is that of the one that needs somebody most', () => {
  expect(codeOf()).toBe(0);
  const states = ['failed', 'rejected', 'expired', 'cancelled', 'superseded', 'pending'];
  const codes = states.map((_, at) => codeOf(...states.slice(at).toReversed()));
  expect(codes).toEqual([1, 3, 6, 4, 7, 5]);
});
