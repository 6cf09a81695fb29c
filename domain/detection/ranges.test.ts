import { expect, test } from 'vitest';
import { allows, lowestOf, takenOf } from './versions.ts';

test.each([
  ['>=3.14,<3.15', '3.14.0', true],
  ['>=3.14,<3.15', '3.11.2', false],
  ['>=3.14,<3.15', '3.15.0', false],
  ['^8.2 || ^9', '8.4.1', true],
  ['^8.2 || ^9', '8.1.30', false],
  ['^8.2|^9', '9.0', true],
  ['~> 1.14', '1.18.3', true],
  ['~> 1.14', '2.0.0', false],
  ['~> 3.3.1', '3.4.0', false],
  [">= 3.2.0', '< 4.1.0", '4.0.6', true],
  ['~=3.9', '3.13', true],
  ['==3.11.*', '3.11.9', true],
  ['==3.11.*', '3.12.0', false],
  ['8.1.*', '8.1.2', true],
  ['>=20.12 <21 || 22 || 24 <24.17.0', '22.5.1', true],
  ['>=20.12 <21 || 22 || 24 <24.17.0', '24.18.0', false],
  ['7.4 - 8.2', '8.2.9', true],
  ['7.4 - 8.2', '8.3.0', false],
  ['4.0.6', '4.0.6', true],
  ['4.0.6', '4.0.7', false],
  ['20.x', '20.20.2', true],
  ['^0.14.1', '0.15.0', false],
  ['*', '1.0', true],
  ['>=1.92', 'rustc 1.95.0', true],
])('the range %s and version %s: %s', (range, version, allowed) => {
  expect(allows(range, version)).toBe(allowed);
});

test.each(['nonsense', '${PHP}', 'x'.repeat(300), '>= banana', '1.2 and more'])(
  'the range %j demands nothing',
  (range) => {
    expect(allows(range, '1.0')).toBeUndefined();
  },
);

test('of a range the usual version is taken, or else the lowest that it says', () => {
  expect(takenOf('^8.2', '8.4')).toBe('');
  expect(takenOf('8.3.*', '8.4')).toBe('8.3');
  expect(takenOf('', '8.4')).toBe('');
  expect(lowestOf('>=8.5')).toBe('8.5');
});
