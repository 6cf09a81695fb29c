import { expect, test } from 'vitest';
import { beginAttempt, inputOf, isDue } from '../attempts.ts';
import { adopt, begin, hear, type IncidentActor, type IncidentMessage } from './state.ts';

const ref = { incidentId: 'i', organizationId: 'o' };
const told = (message: IncidentMessage['message'], id = message): IncidentMessage => ({
  message,
  told: { id, body: {} },
});
const now = Date.parse('2026-11-23T12:00:00Z');
const open = (actor: IncidentActor) =>
  adopt(beginAttempt(actor), { state: 'open', revision: 1, waitMillis: null }, now);
const retried = (actor: IncidentActor) =>
  adopt(beginAttempt(actor), { state: 'triggering', revision: 1, waitMillis: 30_000 }, now);

test('an incident that is open waits for its end alone', () => {
  const waiting = open(begin(ref));
  expect(isDue(waiting, now + 1e12)).toBe(false);
  expect(isDue(hear(waiting, told('tryAgain')), now)).toBe(false);
  expect(isDue(hear(waiting, told('resolved')), now)).toBe(true);
  expect(begin({ ...ref, ...inputOf(waiting) })).toEqual(waiting);
});

test('one that is resolved while its trigger is retried goes on with that, at its pace', () => {
  const waiting = hear(retried(begin(ref)), told('resolved'));
  expect([isDue(waiting, now), isDue(waiting, now + 30_000)]).toEqual([false, true]);
});

test('resolved while the attempt of its trigger is under way, it is not open for long', () => {
  const resolved = hear(beginAttempt(begin(ref)), told('resolved'));
  expect(isDue(adopt(resolved, { state: 'open', revision: 1, waitMillis: null }, now), now)).toBe(true);
});

test('a resolve that has to wait its turn waits so long', () => {
  const resolved = beginAttempt(hear(open(begin(ref)), told('resolved')));
  const busy = adopt(resolved, { state: 'open', revision: 1, waitMillis: 100 }, now);
  expect([isDue(busy, now), isDue(busy, now + 100)]).toEqual([false, true]);
  // Begun again from its row it does not remember the message.
  const again = adopt(
    beginAttempt(begin({ ...ref, state: 'open' })),
    { state: 'open', revision: 1, waitMillis: 100 },
    now,
  );
  expect(isDue(again, now + 100)).toBe(true);
});

test('a message that comes twice counts once', () => {
  const resolved = hear(open(begin(ref)), told('resolved'));
  const resolving = adopt(beginAttempt(resolved), { state: 'resolving', revision: 2, waitMillis: 30_000 }, now);
  expect(hear(resolving, told('resolved'))).toEqual(resolving);
});
