import { expect, test } from 'vitest';
import { tellShare } from './share.ts';

const told = (done: number, seconds: number) => tellShare({ done, total: 1000, sinceMilliseconds: seconds * 1000 });

test('an estimate comes with the share as soon as there is a pace to judge by', () => {
  expect(told(0, 10)).toBe('0 %');
  expect(told(300, 1)).toBe('30 %');
  expect(told(10, 60)).toBe('1 %');
  expect(told(250, 10)).toBe('25 %, about 30 s left');
  expect(told(250, 60)).toBe('25 %, about 3 min left');
  expect(told(1000, 60)).toBe('99 %, about 1 s left');
});
