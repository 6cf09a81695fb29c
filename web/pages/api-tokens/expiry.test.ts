import { expect, test } from 'vitest';
import { expiryTime } from './expiry.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

test('a token ends after its days, at the end of its last day, or never', () => {
  expect(expiryTime('90', '', now)).toBe('2026-05-30T12:00:00.000Z');
  expect(expiryTime('never', '2026-03-02', now)).toBeUndefined();
  const lastMoment = new Date(2026, 2, 2, 23, 59, 59);
  expect(expiryTime('date', '2026-03-02', now)).toBe(lastMoment.toISOString());
});
