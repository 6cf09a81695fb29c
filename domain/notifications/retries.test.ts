import { expect, test } from 'vitest';
import { gaveUpSentence, mostAttempts, retryingSentence, waitAfter } from './retries.ts';

test('the first wait is 30 seconds, each the double of the one before, and none above an hour', () => {
  const waits = Array.from({ length: mostAttempts - 1 }, (_, index) => waitAfter(index + 1));
  expect(waits.slice(0, 8)).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600]);
  expect(new Set(waits.slice(7))).toEqual(new Set([3600]));
  expect(waits).toHaveLength(23);
  expect(waitAfter(1_000_000)).toBe(3600);
});

test('a wait that the other side asks for counts where it is longer, up to an hour', () => {
  expect(waitAfter(1, 10)).toBe(30);
  expect(waitAfter(1, 45)).toBe(45);
  expect(waitAfter(1, 86_400)).toBe(3600);
});

test('what a channel says of its last failure', () => {
  expect(retryingSentence('a answered 503.', 3, 120)).toBe(
    'a answered 503. Attempt 3 of 24; the next is in 2 minutes.',
  );
  expect(retryingSentence('a answered 503.', 1, 30)).toBe(
    'a answered 503. Attempt 1 of 24; the next is in 30 seconds.',
  );
  expect(retryingSentence('a answered 503.', 9, 3600)).toBe('a answered 503. Attempt 9 of 24; the next is in 1 hour.');
  expect(gaveUpSentence('a answered 404.', 1)).toBe('a answered 404. Gave up after 1 attempt.');
  expect(gaveUpSentence('a answered 503.', 24)).toBe('a answered 503. Gave up after 24 attempts.');
});
