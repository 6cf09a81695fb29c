import { expect, test } from 'vitest';
import { attemptTurns } from './turns.ts';

let time = 0;
const turns = (activities = 40) => attemptTurns(activities, () => time);
type Turn = ReturnType<ReturnType<typeof turns>['take']>;
const isTaken = (turn: Turn) => 'giveBack' in turn;
const giveBack = (turn: Turn) => {
  if (!('giveBack' in turn)) throw new Error('There is no turn to give back.');
  turn.giveBack();
};

test('a channel has four turns at a time, a failing one has one; given back, they are free', () => {
  const { take } = turns();
  const taken = Array.from({ length: 5 }, () => take('works', false));
  expect(taken.map(isTaken)).toEqual([true, true, true, true, false]);
  expect([take('fails', true), take('fails', true)].map(isTaken)).toEqual([true, false]);
  for (const turn of taken.slice(0, 4)) giveBack(turn);
  expect(isTaken(take('works', false))).toBe(true);
});

test('however many channels fail, half of the turns are left to those that work', () => {
  const { take } = turns(40);
  const failing = Array.from({ length: 1_000 }, (_, index) => take(`dead ${index}`, true));
  expect(failing.filter(isTaken)).toHaveLength(8);
  const working = Array.from({ length: 20 }, (_, index) => take(`works ${index}`, false));
  expect(working.filter(isTaken)).toHaveLength(8);
});

test('one that is slow has one turn, as if it failed, until it is fast again', () => {
  const { take } = turns();
  const first = take('slow', false);
  time += 2_001;
  giveBack(first);
  const second = take('slow', false);
  expect([second, take('slow', false), take('fast', false), take('fast', false)].map(isTaken)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  giveBack(second);
  expect([take('slow', false), take('slow', false)].map(isTaken)).toEqual([true, true]);
});

test('with few activities in a worker there is a turn all the same, and activities are left to all else', () => {
  const { take } = turns(3);
  expect(isTaken(take('dead', true))).toBe(true);
  expect(isTaken(take('works', false))).toBe(true);
  expect(isTaken(take('another', false))).toBe(false);
});

test('those who are sent away come back one after the other, within five minutes', () => {
  time = 1_000_000;
  const { take } = turns();
  const first = take('dead', true);
  const waits = Array.from({ length: 1_000 }, () => {
    const turn = take('dead', true);
    return 'waitMillis' in turn ? turn.waitMillis : 0;
  });
  expect(waits.slice(0, 3)).toEqual([2_500, 5_000, 7_500]);
  expect(Math.max(...waits)).toBe(300_000);
  // Long after, nobody is waited for.
  giveBack(first);
  time += 600_000;
  expect(isTaken(take('dead', true))).toBe(true);
  expect(take('dead', true)).toEqual({ waitMillis: 2_500 });
});
