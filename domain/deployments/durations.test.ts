import { expect, test } from 'vitest';
import { between, bucketOf, type Durations, lengthsOf, millisOf, quantile, withLengths } from './durations.ts';

test('a length is told to within a hundredth', () => {
  for (const millis of [100, 950, 12_345, 3_600_000, 30 * 86_400_000]) {
    expect(Math.abs(millisOf(bucketOf(millis)) / millis - 1)).toBeLessThan(0.01);
  }
  expect(bucketOf(0)).toBe(0);
});

test('the total is all stages but the approval; one that has not ended is not counted', () => {
  const at = (second: number) => new Date(second * 1_000).toISOString();
  const stages = [
    { stage: 'approval', startedAt: at(0), endedAt: at(1_000) },
    { stage: 'queue', startedAt: at(1_000), endedAt: at(1_003) },
    { stage: 'prepare', startedAt: at(1_003), endedAt: at(1_010) },
  ] as const;
  expect(lengthsOf(stages)).toEqual([
    ['total', 10_000],
    ['approval', 1_000_000],
    ['queue', 3_000],
    ['prepare', 7_000],
  ]);
  expect(lengthsOf([{ stage: 'queue', startedAt: at(0) }])).toEqual([]);
});

test('what was counted between two moments is the difference of both', () => {
  let first: Durations = {};
  for (const millis of [1_000, 1_000, 5_000]) first = withLengths(first, [['total', millis]]);
  const last = withLengths(withLengths(first, [['total', 1_000]]), [['start', 70]]);
  expect(between(first, last, 'total')).toEqual([[millisOf(bucketOf(1_000)), 1]]);
  expect(between(first, last, 'start')).toHaveLength(1);
  expect(between(first, first, 'total')).toEqual([]);
});

test.each([
  ['one', [[7, 1]], 7, 7],
  [
    'an even number, between the two in the middle',
    [
      [20, 1],
      [10, 1],
    ],
    15,
    19.5,
  ],
  [
    'by their weights',
    [
      [10, 98],
      [100, 2],
    ],
    10,
    10,
  ],
] as const)('median and 95th percentile of %s', (_, lengths, median, p95) => {
  expect(quantile(lengths, 0.5)).toBeCloseTo(median);
  expect(quantile(lengths, 0.95)).toBeCloseTo(p95);
});

test('the median of nothing is 0', () => expect(quantile([], 0.5)).toBe(0));
