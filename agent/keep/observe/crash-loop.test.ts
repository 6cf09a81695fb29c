import { expect, test } from 'vitest';
import { type Crashes, crashed, holdAfter, isLoop, loopText } from './crash-loop.ts';

/** Runs of so many milliseconds each that end by themselves. */
function after(...runs: number[]): Crashes | undefined {
  let [at, found]: [number, Crashes | undefined] = [0, undefined];
  for (const [index, lasted] of runs.entries()) {
    at += lasted;
    found = crashed(found, { run: index + 1, at, lasted, how: 'exited with code 1' });
    at += 1000;
  }
  return found;
}

test('the third end in a row makes a loop, and people hear of each doubling', () => {
  expect(isLoop(undefined)).toBe(false);
  expect(isLoop(after(10, 10))).toBe(false);
  const texts = Array.from({ length: 17 }, (_, index) => after(...Array.from({ length: index + 1 }, () => 1500)));
  const told = texts.map((one) => (isLoop(one) ? loopText(one.told) : ''));
  expect([...new Set(told)]).toEqual([
    '',
    'exited with code 1, 3 restarts in 7 s',
    'exited with code 1, 4 restarts in 9 s',
    'exited with code 1, 8 restarts in 19 s',
    'exited with code 1, 16 restarts in 39 s',
  ]);
  expect(isLoop(after(60_000, 60_000, 60_000)) && loopText({ restarts: 8, seconds: 126, how: 'x' })).toBe(
    'x, 8 restarts in 2 min',
  );
});

test('a loop is over when a run is clearly longer than those that crashed', () => {
  const quick = after(10, 1500, 10);
  const slow = after(90_000);
  expect([quick && holdAfter(quick), slow && holdAfter(slow)]).toEqual([30_000, 180_000]);
});
