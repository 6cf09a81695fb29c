import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SilenceWatch } from './silence.ts';

let watch: SilenceWatch;
/** All that was told, in order. */
let told: (string | undefined)[];

beforeEach(() => {
  vi.useFakeTimers();
  watch = new SilenceWatch();
  told = [];
  watch.subscribe(() => told.push(watch.told()));
});
afterEach(() => {
  vi.useRealTimers();
});

test('an answer that is late is told within five seconds, and its end for a moment', async () => {
  const answer = Promise.withResolvers<string>();
  const answered = watch.waiting('question', answer.promise);
  vi.advanceTimersByTime(4_000);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(900);
  expect(told).toEqual(['unanswered']);
  answer.resolve('late');
  expect(await answered).toBe('late');
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['unanswered', 'answered', undefined]);
});

test('an answer in time, and one that fails in time, is not told', async () => {
  expect(await watch.waiting('question', Promise.resolve('soon'))).toBe('soon');
  await expect(watch.waiting('change', Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual([]);
});

test('the nearest to the person is told first: offline, then a change, then a question, then the stream', () => {
  watch.streamStill(true);
  const asked = watch.expect('question');
  const changed = watch.expect('change');
  vi.advanceTimersByTime(5_000);
  watch.offline(true);
  watch.offline(false);
  changed();
  asked();
  watch.streamStill(false);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual([
    'out of contact',
    'unanswered',
    'change unanswered',
    'offline',
    'change unanswered',
    'unanswered',
    'out of contact',
    'connected again',
    undefined,
  ]);
});

test('a failed request is out of contact until one is answered or the stream lives', () => {
  watch.requestFailed(true);
  watch.requestFailed(true);
  watch.requestFailed(false);
  watch.requestFailed(true);
  watch.streamStill(false);
  expect(told).toEqual(['out of contact', 'connected again', 'out of contact', 'connected again']);
});

test('a silence that begins while the end of the last one is told is told itself', () => {
  watch.offline(true);
  watch.offline(false);
  watch.streamStill(true);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['offline', 'connected again', 'out of contact']);
});
