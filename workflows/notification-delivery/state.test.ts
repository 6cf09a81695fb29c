import { expect, test } from 'vitest';
import { beginAttempt, inputOf, isDue } from '../attempts.ts';
import { adopt, begin, type DeliveryMessage, hear } from './state.ts';

const ref = { deliveryId: 'd', organizationId: 'o' };
const tryAgain = (id: string): DeliveryMessage => ({ message: 'tryAgain', told: { id, body: {} } });
const now = Date.parse('2026-11-23T12:00:00Z');

test('a delivery that has not been attempted is due at once', () => {
  expect(isDue(begin(ref), now)).toBe(true);
});

test('one that is retried waits as long as its row says, also in a new run', () => {
  const waiting = adopt(begin(ref), { state: 'retrying', revision: 1, waitMillis: 30_000 }, now);
  expect([isDue(waiting, now + 29_999), isDue(waiting, now + 30_000)]).toEqual([false, true]);
  expect(begin({ ...ref, ...inputOf(waiting) })).toEqual(waiting);
});

test('asked to try again, it is due; twice by the same message it is not', () => {
  const waiting = adopt(begin(ref), { state: 'retrying', revision: 1, waitMillis: 30_000 }, now);
  const asked = hear(waiting, tryAgain('a'));
  expect(isDue(asked, now)).toBe(true);
  const after = adopt(beginAttempt(asked), { state: 'retrying', revision: 2, waitMillis: 60_000 }, now);
  expect(hear(after, tryAgain('a'))).toEqual(after);
});

test('asked while an attempt is under way, another one follows it at once', () => {
  const attempting = beginAttempt(begin(ref));
  const after = adopt(hear(attempting, tryAgain('a')), { state: 'retrying', revision: 1, waitMillis: 30_000 }, now);
  expect(isDue(after, now)).toBe(true);
});
