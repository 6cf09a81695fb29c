import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HintPace } from './operations.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const hint = (kind: string, id = 'ada') => ({ organizationId: 'o', kind, id });

/** A stream: when each hint was told, in milliseconds from the beginning. */
function stream(random = () => 0) {
  const began = performance.now();
  const told: number[] = [];
  const pace = new HintPace(1_000, (held) => hear(held.kind), random);
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

test('each thing has its own time: a channel keeps no inbox waiting, nor another channel', () => {
  const told: string[] = [];
  const pace: HintPace = new HintPace(
    1_000,
    (held) => hear(held.kind, held.id),
    () => 0,
  );
  const hear = (kind: string, id: string) => void (pace.lets(hint(kind, id)) && told.push(`${kind} ${id}`));
  const things = [
    ['notification', 'ada'],
    ['notification_channel', 'one'],
    ['notification_channel', 'two'],
  ] as const;
  for (let change = 0; change < 3; change += 1) for (const [kind, id] of things) hear(kind, id);
  const once = things.map((thing) => thing.join(' '));
  expect(told).toEqual(once);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([...once, ...once]);
});
