import { expect, test } from 'vitest';
import { searchOf } from '../components/filter-bar/filter-bar.tsx';
import type { Pages } from './pages.ts';
import { isSought } from './sought.ts';

test('each typed word must be somewhere, in any order and case; blanks narrow nothing', () => {
  const texts = ['Grace Hopper', 'grace@example.com', 'Compilers'];
  for (const sought of ['', '  ', 'HOPPER grace', 'compil @example', 'ace']) expect(isSought(texts, sought)).toBe(true);
  for (const sought of ['grace hooper', 'hoppergrace', '%']) expect(isSought(texts, sought)).toBe(false);
});

test('a list has a field to search it when it is long, not whole, or narrowed already', () => {
  const list = (count: number, more: object = {}) =>
    ({ searched: true, items: Array.from({ length: count }), whole: true, ...more }) as Pages<unknown>;
  const shown = (pages: Pages<unknown>) => searchOf(pages, 'Teams', 'name').search?.placeholder;
  expect([list(0), list(10), list(50, { searched: false })].map(shown)).toEqual([undefined, undefined, undefined]);
  for (const pages of [list(11), list(5, { whole: false }), list(0, { narrowed: { of: 3 } })]) {
    expect(shown(pages)).toBe('Search by name');
  }
});
