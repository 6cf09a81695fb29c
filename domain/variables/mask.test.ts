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
