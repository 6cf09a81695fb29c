import { expect, test } from 'vitest';
import { canonical } from './canonical.ts';

test('the order of keys does not count, that of lists does, and what is not there is not there', () => {
  expect(canonical({ b: [1, { d: 'x', c: null }], a: undefined })).toBe('{"b":[1,{"c":null,"d":"x"}]}');
  expect(canonical({ x: 1, y: 2 })).toBe(canonical({ y: 2, x: 1 }));
  expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
  expect(canonical(JSON.parse(canonical({ a: ['ü', true, 0.5] })))).toBe('{"a":["ü",true,0.5]}');
});
