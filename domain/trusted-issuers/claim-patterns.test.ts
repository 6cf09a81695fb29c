import { expect, test } from 'vitest';
import { firstMismatch, matchesPattern } from './pinned-claims.ts';

test.each([
  ['main', 'main', true],
  ['main', 'Main', false],
  ['main', 'main2', false],
  ['main', 'xmain', false],
  ['', '', true],
  ['', 'x', false],
  ['*', '', true],
  ['*', 'anything/at all', true],
  ['octo/*', 'octo/app', true],
  ['octo/*', 'octo', false],
  ['octo/*', 'octopus/app', false],
  ['repo:octo/app:ref:refs/heads/*', 'repo:octo/app:ref:refs/heads/release/1', true],
  ['*/app', 'octo/app', true],
  ['*/app', 'octo/app/x', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-b-b-d', false],
  ['**a**', 'bab', true],
  // Nothing else has a meaning.
  ['a.c', 'abc', false],
  ['a?c', 'abc', false],
  ['[ab]', 'a', false],
  ['a\\*', 'a*', false],
])('%j against %j: %s', (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

// One that tries every way to share the text among the stars does not end.
test('a pattern that is all stars is decided on a long text', () => {
  expect(matchesPattern(`${'*a'.repeat(200)}b`, 'a'.repeat(16_000))).toBe(false);
});

test('every claim must be there and match one of its patterns; numbers, booleans and lists count', () => {
  const payload = { repository: 'octo/app', id: 42, fork: false, groups: ['a', 'b'], empty: null, inner: { x: 'y' } };
  expect(firstMismatch({ repository: ['other/*', 'octo/*'] }, payload)).toBeUndefined();
  expect(firstMismatch({ id: ['42'], fork: ['false'], groups: ['b'] }, payload)).toBeUndefined();
  expect(firstMismatch({ repository: ['octo/*'], id: ['4'] }, payload)).toBe('id');
  expect(firstMismatch({ groups: ['c'] }, payload)).toBe('groups');
  for (const name of ['missing', 'empty', 'inner', 'toString', 'constructor']) {
    expect(firstMismatch({ [name]: ['*'] }, payload)).toBe(name);
  }
});
