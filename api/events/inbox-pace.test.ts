import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InboxPace } from './inbox-pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const hint = (kind: string) => ({ organizationId: 'o', kind, id: 'ada' });

/** A stream: when each hint was told, in milliseconds from the beginning. */
function stream(random = () => 0) {
  const began = performance.now();
  const told: number[] = [];
  const pace = new InboxPace(1_000, (held) => hear(held.kind), random);
  const hear = (kind = 'notification') => {
    if (pace.lets(hint(kind))) told.push(Math.round(performance.now() - began));
  };
  return { told, hear, end: () => pace.end() };
}

test('a burst is told at once, then once a second, and the last time after its end', () => {
  const { told, hear } = stream();
  for (let change = 0; change < 250; change += 1) {
    hear();
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([0, 1_000, 2_000, 3_000]);
  hear();
  hear();
  vi.advanceTimersByTime(60_000);
  expect(told.slice(4)).toEqual([62_500, 63_500]);
});

test('a single change is told at once, and only once', () => {
  const { told, hear } = stream();
  for (let change = 0; change < 3; change += 1) {
    hear();
    vi.advanceTimersByTime(1_000);
  }
  expect(told).toEqual([0, 1_000, 2_000]);
});

test('a change right when a held hint is told is told a second later at most', () => {
  const { told, hear } = stream();
  hear();
  hear();
  vi.advanceTimersByTime(1_000);
  hear();
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual([0, 1_000, 2_000]);
});

test('hints of other kinds do not wait, and nothing is told after the end', () => {
  const { told, hear, end } = stream();
  hear();
  hear();
  for (let change = 0; change < 3; change += 1) hear('team');
  expect(told).toEqual([0, 0, 0, 0]);
  end();
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(4);
  expect(vi.getTimerCount()).toBe(0);
});

test('those who are told at once are told at moments of their own from then on, up to two seconds later', () => {
  const streams = [0, 0.25, 0.999].map((random) => stream(() => random));
  for (let change = 0; change < 200; change += 1) {
    for (const { hear } of streams) hear();
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(60_000);
  expect(streams.map(({ told }) => told)).toEqual([
    [0, 1_000, 2_000],
    [0, 1_250, 2_500],
    [0, 1_999],
  ]);
});
