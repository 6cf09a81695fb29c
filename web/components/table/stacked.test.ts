import { expect, test } from 'vitest';
import { leastWidth } from './stacked.ts';

const column = (width?: string) => ({ label: '', cell: () => '', ...(width === undefined ? {} : { width }) });

test.each([
  ['of two columns takes what a phone has not', [column(), column()], false, 34],
  [
    'counts gaps, padding and the menu',
    [column(), column('20rem'), column('minmax(7rem, 1fr)')],
    true,
    8 + 20 + 7 + 2 + 3 + 2,
  ],
  [
    'gives a flexible one room for a word',
    [column('minmax(0, 3fr)'), column('30rem'), column('minmax(0, 2fr)')],
    false,
    48,
  ],
])('a table %s', (_, columns, menu, rem) => {
  expect(leastWidth(columns, menu)).toBe(rem);
});
