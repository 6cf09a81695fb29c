import { expect, test } from 'vitest';
import { begin, type DeletionState, enter, hear, postpone, remaining, viewOf, wait } from './state.ts';

const input = { deletionId: 'd', organizationId: 'o', restoreUntil: '2030-01-08T00:00:00.000Z' };
const weekBefore = Date.parse('2030-01-01T00:00:00.000Z');
const week = 7 * 24 * 3600 * 1000;
const purgeNow = { message: 'purgeNow', told: { id: '1', body: {} } } as const;
const restored = { message: 'restored', told: { id: '2', body: {} } } as const;

test('an organization is kept until its time has passed', () => {
  const state = begin(input);
  expect(remaining(state, weekBefore)).toBe(week);
  expect(remaining(state, weekBefore + week - 1)).toBe(1);
  expect(remaining(state, weekBefore + week)).toBe(0);
  expect(remaining(state, weekBefore + 10 * week)).toBe(0);
});

test('asking for the purge ends the waiting, and nothing else', () => {
  const state = hear(begin(input), purgeNow);
  expect(remaining(state, weekBefore)).toBe(0);
  expect(state.phase).toBe('retained');
});

test('a restoration ends the deletion', () => {
  const state = hear(begin(input), restored);
  expect(state).toMatchObject({ phase: 'restored', revision: 1 });
  expect(remaining(state, weekBefore)).toBe(0);
});

test('a message heard twice changes nothing', () => {
  const once = hear(begin(input), purgeNow);
  expect(hear(once, purgeNow)).toBe(once);
  const postponed = postpone(once, Date.parse(input.restoreUntil));
  expect(remaining(hear(postponed, purgeNow), weekBefore)).toBe(week);
});

test('once the purge has begun a restoration comes too late', () => {
  const purging = enter(begin(input), 'purging');
  expect(hear(purging, restored).phase).toBe('purging');
});

test('a final phase is never left, and each phase has a higher revision than the one before', () => {
  const purging = enter(begin(input), 'purging');
  const purged = enter(purging, 'purged');
  expect([purging.revision, purged.revision]).toEqual([1, 2]);
  expect(enter(purging, 'purging')).toBe(purging);
  for (const phase of ['retained', 'purging', 'restored', 'failed'] as const) expect(enter(purged, phase)).toBe(purged);
});

test('the view tells the time in words of ISO 8601', () => {
  expect(viewOf(begin(input))).toEqual({ phase: 'retained', restoreUntil: input.restoreUntil, deletedRows: 0 });
});

test('the pause of a purge grows by those that pass without progress alone, and starts again with it', () => {
  let told = 0;
  const answer = (state: DeletionState, end: 'failed' | 'done') => {
    told += 1;
    return hear(state, { message: 'commandFinished', told: { id: `c${told}`, body: { state: end, message: null } } });
  };
  const [waits, less] = ['Two agents are still to delete.', 'An agent is still to delete.'];
  let state = wait(enter(begin(input), 'purging'), { waits, fired: false });
  expect(state.pause).toBe(5_000);
  const pauses: number[] = [];
  const next = (how: 'fired' | 'failed' | 'done', says = waits) => {
    if (how !== 'fired') state = answer(state, how);
    state = wait(state, { waits: says, fired: how === 'fired' });
    pauses.push(state.pause / 1_000);
  };
  for (let round = 0; round < 3; round += 1) next('fired');
  for (let round = 0; round < 3; round += 1) next('failed', 'It said: It is mounted.');
  next('fired', 'It said: It is mounted.');
  next('done', less);
  next('fired', less);
  next('fired', 'Another thing.');
  for (let round = 0; round < 12; round += 1) next('fired', 'Another thing.');
  expect(pauses).toEqual([
    ...[10, 20, 40, 40, 40, 40, 80, 5, 10, 5],
    ...[10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600, 3_600],
  ]);
});
