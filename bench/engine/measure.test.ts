import { describe, expect, test } from 'vitest';
import type { Benchmark, Row } from './benchmark.ts';
import { compared, measure, median } from './measure.ts';

const speed: Row = { name: 'speed', unit: 'requests/s', better: 'more' };
const time: Row = { name: 'time', unit: 's', better: 'less', most: 6 };

test('the median is the middle one, or what lies between the middle two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([1, 2, 4, 9])).toBe(3);
});

describe('a ratio of 1 is as good as the reference', () => {
  test.each([
    { row: speed, reference: 1000, subject: 900, ratio: 0.9, verdict: 'good' },
    { row: speed, reference: 1000, subject: 690, ratio: 0.69, verdict: 'explain' },
    { row: speed, reference: 1000, subject: 490, ratio: 0.49, verdict: 'failed' },
    { row: time, reference: 2, subject: 4, ratio: 0.5, verdict: 'explain' },
    { row: time, reference: 2, subject: 4.1, ratio: 2 / 4.1, verdict: 'failed' },
    { row: time, reference: 6, subject: 6.1, ratio: 6 / 6.1, verdict: 'failed' },
  ])('$row.name: $subject against $reference', ({ row, reference, subject, ratio, verdict }) => {
    const found = compared('any', row, { reference: [reference], subject: [subject] });
    expect(found.ratio).toBeCloseTo(ratio);
    expect(found.verdict).toBe(verdict);
  });
});

test('sides that answer nothing are no success', () => {
  expect(compared('any', speed, { reference: [0], subject: [0] }).verdict).toBe('failed');
});

test('reference and subject take turns, the other one first in each round, and all is closed at the end', async () => {
  const calls: string[] = [];
  const side = (name: string, speed: number) => async (round: number) => {
    calls.push(`${name} ${round}`);
    return { speed: speed + round };
  };
  const benchmark: Benchmark = {
    name: 'any',
    what: 'anything',
    rows: [speed],
    open: async () => ({
      reference: side('reference', 100),
      subject: side('subject', 80),
      [Symbol.asyncDispose]: async () => void calls.push('closed'),
    }),
  };
  const [row] = await measure(benchmark, 3, () => undefined);
  expect(calls).toEqual([
    ...['reference 0', 'subject 0', 'subject 1', 'reference 1', 'reference 2', 'subject 2'],
    'closed',
  ]);
  expect(row).toMatchObject({ reference: 101, subject: 81, rounds: { reference: [100, 101, 102] } });
});
