import { expect, test } from 'vitest';
import { fc } from '../test/run/drawn.ts';
import { freeSlug, slugOf, slugPattern } from './slug.ts';

test('a name becomes a DNS label', () => {
  expect(slugOf('Söhne & Co')).toBe('sohne-co');
  expect(slugOf('  --Ops Team--  ')).toBe('ops-team');
  expect(slugOf('東京')).toBe('');
});

test('whatever the name, its slug is empty or valid', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (name) => {
      const slug = slugOf(name);
      return slug === '' || slugPattern.test(slug);
    }),
  );
});

test('a taken slug gets the next free number and stays a DNS label', () => {
  expect(freeSlug('ops', new Set(['ops', 'ops-2']))).toBe('ops-3');
  const long = 'a'.repeat(63);
  expect(freeSlug(long, new Set([long]))).toMatch(slugPattern);
});
