import { expect, test } from 'vitest';
import { isDirection, moved, neighbour } from './neighbour.ts';

const places = new Map([
  ['web', { x: 0, y: 0 }],
  ['api', { x: 344, y: 0 }],
  ['worker', { x: 344, y: 116 }],
  ['db', { x: 688, y: 116 }],
]);

test.each([
  ['web', 'ArrowRight', 'api'],
  ['web', 'ArrowLeft', undefined],
  ['api', 'ArrowDown', 'worker'],
  ['db', 'ArrowLeft', 'worker'],
  ['worker', 'ArrowUp', 'api'],
  ['gone', 'ArrowUp', undefined],
] as const)('from %s by %s to %s', (from, key, to) => {
  expect(neighbour(places, from, key)).toBe(to);
});

test('a box is moved in the direction of the key', () => {
  expect(moved({ x: 5, y: 5 }, 'ArrowUp', 24)).toEqual({ x: 5, y: -19 });
  expect(moved({ x: 5, y: 5 }, 'ArrowRight', 24)).toEqual({ x: 29, y: 5 });
});

test('only arrow keys are directions', () => {
  expect(isDirection('ArrowUp')).toBe(true);
  expect(isDirection('toString')).toBe(false);
});
