import { expect, test } from 'vitest';
import { gibibyte, sizeText } from './volume-size.ts';

test.each([
  [0, '0 B'],
  [640, '640 B'],
  [1_536, '1.5 KiB'],
  [10 * gibibyte, '10 GiB'],
  [5000 * 1024 * gibibyte, '5,000 TiB'],
])('%d bytes are %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
