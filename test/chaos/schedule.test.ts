import { expect, test } from 'vitest';
import { faultyParts, schedule } from './schedule.ts';

test('a seed always gives the same faults, and another seed others', () => {
  expect(schedule(5)).toEqual(schedule(5));
  expect(schedule(5)).not.toEqual(schedule(6));
});

test.each([1, 2, 3, 4, 5])('each kind of part is killed early, beside a pause and a pair (seed %i)', (seed) => {
  const first = schedule(seed).slice(0, faultyParts.length + 2);
  const alone = first.filter(({ what, parts }) => what === 'kill' && parts.length === 1);
  expect(alone.flatMap(({ parts }) => parts).toSorted()).toEqual([...faultyParts].toSorted());
  expect(first.filter(({ what }) => what === 'pause')).toHaveLength(1);
  expect(first.filter(({ parts }) => parts.length === 2)).toHaveLength(1);
});

test('a pause lasts 8 to 40 s, and a kill no time', () => {
  for (const { what, lasts } of schedule(9, 500)) {
    if (what === 'kill') expect(lasts).toBe(0);
    else expect(lasts >= 8 && lasts <= 40).toBe(true);
  }
});
