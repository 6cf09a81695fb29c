import { expect, test } from 'vitest';
import { retryAfterOf } from './attempt.ts';

const now = Date.UTC(2026, 10, 23, 8, 0, 0);
const read = (said?: string) => retryAfterOf(said === undefined ? {} : { 'retry-after': said }, now);

test.each([
  ['0', 0],
  ['120', 120],
  [' 7 ', 7],
  ['86400', 86_400],
  ['86401', 86_400],
  ['99999999999999999999999', 86_400],
  ['Mon, 23 Nov 2026 08:01:30 GMT', 90],
  ['Monday, 23-Nov-26 08:01:30 GMT', 90],
  ['Mon Nov 23 08:01:30 2026', 90],
  ['Thu, 23 Nov 2028 08:00:00 GMT', 86_400],
])('%j is %i seconds', (said, seconds) => {
  expect(read(said)).toBe(seconds);
});

test.each([
  undefined,
  '',
  '-1',
  '-120',
  '1.5',
  '1e3',
  '0x10',
  '5 minutes',
  'soon',
  'NaN',
  'Infinity',
  '2026-11-23T08:01:30Z',
  'Dec 2030',
  '23 Nov 2026 08:01:30',
  'Mon, 23 Nov 2026 07:59:59 GMT',
  'Mon, 99 Foo 2026 08:01:30 GMT',
])('%j says nothing', (said) => {
  expect(read(said)).toBeUndefined();
});
