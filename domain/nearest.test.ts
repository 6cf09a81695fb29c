import { expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

test.each([
  ['up', 'up', 0],
  ['upp', 'up', 1],
  ['dcotor', 'doctor', 1],
  ['migrat', 'migrate', 1],
  ['wirker', 'worker', 1],
  ['', 'api', 3],
])('from %s to %s it is %i mistakes', (a, b, mistakes) => {
  expect(editDistance(a, b)).toBe(mistakes);
  expect(editDistance(b, a)).toBe(mistakes);
});

test('the nearest word is the one that was meant, and a far one is not', () => {
  expect(nearest('wroker', ['api', 'worker', 'doctor'])).toBe('worker');
  expect(nearest('frobnicate', ['api', 'worker', 'doctor'])).toBeUndefined();
  expect(nearest('tokn', ['down', 'up'])).toBeUndefined();
  expect(nearest('doctr', ['doctor'], 0)).toBeUndefined();
});
