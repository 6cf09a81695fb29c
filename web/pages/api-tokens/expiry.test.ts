import { expect, test } from 'vitest';
import { timesIn } from '../../components/times/times.ts';
import { expiryTime } from './expiry.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

const utc = timesIn('UTC');

test('a token ends after its days, at the end of its last day, or never', () => {
  expect(expiryTime('90', '', now, utc)).toBe('2026-05-30T12:00:00.000Z');
  expect(expiryTime('never', '2026-03-02', now, utc)).toBeUndefined();
  expect(expiryTime('date', '2026-03-02', now, utc)).toBe('2026-03-02T23:59:59.000Z');
  expect(expiryTime('date', '2026-03-02', now, timesIn('Asia/Tokyo'))).toBe('2026-03-02T14:59:59.000Z');
  expect(expiryTime('date', 'never', now, utc)).toBe('never');
});
