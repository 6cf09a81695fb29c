import { expect, test } from 'vitest';
import { bytesOf, sizeText } from './volume.ts';

test.each([
  ['1', 1, '1'],
  ['500M', 524_288_000, '500M'],
  ['10g', 10_737_418_240, '10G'],
  ['2GiB', 2_147_483_648, '2G'],
  ['1000000', 1_000_000, '976.6K'],
  ['54558844K', 55_868_256_256, '52.0G'],
])('%s is %d bytes, told as %s', (word, bytes, text) => {
  expect(bytesOf(word)).toBe(bytes);
  expect(sizeText(bytes)).toBe(text);
});

test.each(['', '0', '-1', '1.5G', 'much', '99999999999T'])('"%s" is no size', (word) => {
  expect(() => bytesOf(word)).toThrow('is no size');
});
