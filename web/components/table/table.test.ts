import { expect, test } from 'vitest';
import { type Column, nextOrder, sorted } from './column.ts';
import { offsetsOf, renderedOf, spanOf } from './virtual-rows.ts';

const ids = Array.from({ length: 1_000 }, (_, index) => `row ${index}`);

test('rows near the window are rendered under measured heights, and gaps stand for all others', () => {
  const heights = new Map(ids.slice(0, 10).map((id) => [id, 100]));
  const offsets = offsetsOf(ids, heights, 50);
  expect(offsets.at(-1)).toBe(100_000);
  const span = spanOf(offsets, 250, 520);
  expect(span).toEqual({ first: 2, end: 6 });
  const { rows, rest } = renderedOf(offsets, span, -1);
  expect(rows).toEqual([
    { row: 2, gap: 200 },
    { row: 3, gap: 0 },
    { row: 4, gap: 0 },
    { row: 5, gap: 0 },
  ]);
  expect(rest).toBe(99_400);
});

test('the row that has the focus stays, above the window and below it', () => {
  const offsets = offsetsOf(ids, new Map(), 10);
  const span = { first: 500, end: 502 };
  expect(renderedOf(offsets, span, 3).rows).toEqual([
    { row: 3, gap: 30 },
    { row: 500, gap: 4_960 },
    { row: 501, gap: 0 },
  ]);
  expect(renderedOf(offsets, span, 999)).toEqual({
    rows: [
      { row: 500, gap: 5_000 },
      { row: 501, gap: 0 },
      { row: 999, gap: 4_970 },
    ],
    rest: 0,
  });
});

test('a window above or below the list shows its first or last row, and an empty list none', () => {
  const offsets = offsetsOf(ids, new Map(), 10);
  expect(spanOf(offsets, -900, -100)).toEqual({ first: 0, end: 1 });
  expect(spanOf(offsets, 20_000, 21_000)).toEqual({ first: 999, end: 1_000 });
  expect(spanOf(offsetsOf([], new Map(), 10), 0, 800)).toEqual({ first: 0, end: 0 });
});

test('a heading sorts up, then down, then not; rows without a value come last', () => {
  const columns: Column<{ name: string; used?: number }>[] = [
    { label: 'Name', cell: () => null, sort: ({ name }) => name },
    { label: 'Used', cell: () => null, sort: ({ used }) => used },
  ];
  const items = [{ name: 'b10' }, { name: 'b9', used: 10 }, { name: 'A', used: 9 }];
  const named = (order: ReturnType<typeof nextOrder>) => sorted(items, columns, order).map(({ name }) => name);
  const up = nextOrder('Name', undefined);
  const down = nextOrder('Name', up);
  expect(named(up)).toEqual(['A', 'b9', 'b10']);
  expect(named(down)).toEqual(['b10', 'b9', 'A']);
  expect(named(nextOrder('Name', down))).toEqual(['b10', 'b9', 'A']);
  expect(nextOrder('Name', down)).toBeUndefined();
  expect(named({ label: 'Used', descending: false })).toEqual(['A', 'b9', 'b10']);
  expect(named({ label: 'Used', descending: true })).toEqual(['b9', 'A', 'b10']);
});
