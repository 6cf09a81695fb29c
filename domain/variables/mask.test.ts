import { expect, test } from 'vitest';
import { maskOf } from './mask.ts';

const secret = 'p&ss "wörd"/+=%:é1';
const mask = maskOf([secret, 'short', 'first line\nsecond line', 'first line of two']);
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['as it is', `connect with ${secret}!`],
  ['for an address', `https://u:${encodeURIComponent(secret)}@db/?${new URLSearchParams({ p: secret })}`],
  ['within JSON', JSON.stringify({ password: secret })],
  ['base64', base64(secret)],
  ['base64 for addresses', Buffer.from(secret).toString('base64url')],
  ['after one byte', base64(`:${secret}`)],
  ['after two bytes, and with more behind it', base64(`u:${secret} and more`)],
  ['after many', `Authorization: Basic ${base64(`user:${secret}`)}`],
])('%s', (_, text) => {
  const masked = mask(text);
  expect(masked).toContain('[secret]');
  for (const part of [secret, 'wörd', base64(secret).slice(4, 16)]) expect(masked).not.toContain(part);
});

test('lines of a value of several lines; the longer of two first', () => {
  expect(mask('a second line')).toBe('a [secret]');
  expect(mask('first line of two')).toBe('[secret]');
});

test('short values and everything else stay as they are', () => {
  expect(mask('a short text with p&ss')).toBe('a short text with p&ss');
  expect(maskOf([])('text')).toBe('text');
});

test('of values that overlap all signs go', () => {
  expect(maskOf(['abcdefgh', 'efghijklmnop'])('an abcdefghijklmnop')).toBe('an [secret]');
  expect(maskOf(['abcdefgh', 'ijklmnop'])('abcdefghijklmnop, abcdefgh ijklmnop')).toBe(
    '[secret][secret], [secret] [secret]',
  );
});

test('a value of ten thousand lines masks each of them; where they are made to be alike, the text is withheld', () => {
  const lines = (of: (number: number) => string) =>
    Array.from({ length: 10_000 }, (_, number) => of(number)).join('\n');
  expect(maskOf([lines((number) => `${number} of many`)])('line 7777 of many ends')).toBe('line [secret] ends');
  const alike = maskOf([lines((number) => `${'a'.repeat(50)}${number}`)]);
  expect(alike(`${'a'.repeat(5_000)}!`)).toBe('[secret]');
  expect(alike('a b c')).toBe('a b c');
});
