import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DayBars } from './day-bars.tsx';

/** Texts of the axis, in their order, and the sentence beneath. */
function shown(counts: readonly number[]): string[] {
  const days = counts.map((count, index) => ({ date: `2026-11-2${index + 1}`, count }));
  const noun = { one: 'deployment', other: 'deployments' };
  return renderToStaticMarkup(createElement(DayBars, { days, noun }))
    .split(/<[^>]*>/)
    .filter((text) => text !== '');
}

test('the chart has an axis of numbers and one of days, and says the same in a sentence', () => {
  expect(shown([2, 0, 7])).toEqual([
    ...['7', '0', '21 Nov 2026', '22 Nov 2026', '23 Nov 2026'],
    '9 deployments in 3 days (UTC), most on 23 Nov 2026: 7.',
  ]);
  expect(shown([0, 0, 0]).at(-1)).toBe('No deployments in 3 days (UTC).');
});
