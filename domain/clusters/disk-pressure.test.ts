import { expect, test } from 'vitest';
import { isUnderPressure } from './clusters.ts';

const gigabyte = 1_024 ** 3;
const disk = (available: number, capacity: number) => ({
  availableBytes: available * gigabyte,
  capacityBytes: capacity * gigabyte,
});

test('a small disk is under pressure below a tenth, a large one below 10 GiB', () => {
  expect([1.9, 2, 3].map((free) => isUnderPressure(disk(free, 20), false))).toEqual([true, false, false]);
  expect([9, 10, 300].map((free) => isUnderPressure(disk(free, 4_000), false))).toEqual([true, false, false]);
  expect(isUnderPressure(disk(0, 0), false)).toBe(false);
});

test('it ends later than it begins, so that it does not come and go', () => {
  let pressure = false;
  const seen = [2.5, 1.9, 2.5, 2.9, 3, 2.5, 1.9].map((free) => {
    pressure = isUnderPressure(disk(free, 20), pressure);
    return pressure;
  });
  expect(seen).toEqual([false, true, true, true, false, false, true]);
});
