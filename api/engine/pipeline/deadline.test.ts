import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadline } from './deadline.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a wait for a turn takes none of the time of a request, up to three times that time', () => {
  const plain = startDeadline(1_000);
  vi.advanceTimersByTime(999);
  expect(plain.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(plain.signal.reason).toMatchObject({ code: 'timeout' });

  const queued = startDeadline(1_000);
  queued.hold();
  vi.advanceTimersByTime(1_500);
  queued.restart();
  vi.advanceTimersByTime(999);
  expect(queued.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(queued.signal.aborted).toBe(true);

  const forgotten = startDeadline(1_000);
  forgotten.hold();
  vi.advanceTimersByTime(2_500);
  forgotten.restart();
  vi.advanceTimersByTime(500);
  expect(forgotten.signal.aborted).toBe(true);
});
