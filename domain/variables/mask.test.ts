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
  expect(['a hidden value', 'text'].map(maskOf(['hidden value']))).toEqual(['a [secret]', 'text']);
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

test.each([
  ['hex, in both cases', (text: string) => Buffer.from(text).toString('hex').toUpperCase()],
  ['JSON within JSON', (text: string) => JSON.stringify(JSON.stringify({ text }))],
  ['JSON of Go', (text: string) => JSON.stringify(text).replaceAll('&', '\\u0026').replaceAll('<', '\\u003c')],
  [
    'JSON without other signs',
    (text: string) => JSON.stringify(text).replaceAll('ö', '\\u00f6').replaceAll('é', '\\u00e9'),
  ],
  [
    'an address in small letters',
    (text: string) => encodeURIComponent(text).replaceAll(/%../g, (one) => one.toLowerCase()),
  ],
  ['quoted for a shell', (text: string) => `'${text.replaceAll("'", "'\\''")}'`],
])('%s', (_, spelled) => {
  const other = `p&ss<'"wörd"/+=%:é1`;
  const hidden = maskOf([other]);
  expect(hidden(`before ${spelled(other)} after`)).toMatch(/^before \W*(text\W*)?\[secret\]\W* after$/);
});

/** Numbers that look as if by chance, the same ones for a seed. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const signs = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=&%$#"\'\\<>:ß€🎉 ';

test.each([1, 2, 3, 4, 5])('nobody who reads all of a log finds a form of a secret in it (seed %i)', (seed) => {
  const next = chance(seed);
  const word = (length: number) => Array.from({ length }, () => [...signs][next([...signs].length)] ?? '').join('');
  const pem = `-----BEGIN KEY-----\n${Array.from({ length: 12 }, () => word(64).replaceAll(/[^\w]/g, 'x')).join('\n')}\n-----END KEY-----\n`;
  const secrets = [...Array.from({ length: 30 }, () => word(6 + next(60))), pem];
  const hidden = maskOf(secrets);
  /** A text that is printed, and what of it nobody may find: of base64 the groups that the secret alone decides. */
  const spelled = (text: string): [printed: string, sought: string][] => {
    const bytes = Buffer.from(text);
    const whole = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), bytes.toString('hex')];
    const within = ['', 'x', 'xy'].flatMap((before) =>
      (['base64', 'base64url'] as const).map((form): [string, string] => {
        const printed = Buffer.from(`${before}${text}${word(next(3))}`).toString(form);
        const groups = Math.floor((before.length + bytes.length) / 3) * 4;
        return [printed, printed.slice(before === '' ? 0 : 4, groups)];
      }),
    );
    return [...whole.map((form): [string, string] => [form, form]), ...within];
  };
  for (let round = 0; round < 300; round += 1) {
    const forms = spelled(secrets[next(secrets.length)] ?? '');
    const [printed, sought] = forms[next(forms.length)] ?? ['', ''];
    if (sought.length < 6) continue;
    const told = hidden(`${word(next(40))}${printed}${word(next(40))}${printed}`);
    expect(told.includes(sought), `${sought} in ${told}`).toBe(false);
  }
  // As `base64` prints a key, and line by line.
  const wrapped =
    Buffer.from(pem)
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  const shown = [...wrapped, ...pem.split('\n')].map((line) => hidden(line));
  const long = [
    ...wrapped.filter(({ length }) => length >= 32),
    ...pem.split('\n').filter(({ length }) => length >= 6),
  ];
  for (const line of long) expect(shown.some((one) => one.includes(line.slice(0, 32)))).toBe(false);
});

/** So many signs are looked at for each of a text: of one a hundred times as long not more. */
test('a long line costs what it is long, whatever is sought', () => {
  const alike = maskOf(Array.from({ length: 100 }, (_, number) => `${'a'.repeat(5_000)}${number}`));
  const text = 'a'.repeat(1_000_000);
  expect(alike(text)).toBe('[secret]');
  const next = chance(7);
  const values = Array.from({ length: 100 }, () => Array.from({ length: 40 }, () => signs[next(62)]).join(''));
  const plain = `${'word and more '.repeat(70_000)}${values[50]}`;
  expect(maskOf(values)(plain)).toBe(`${'word and more '.repeat(70_000)}[secret]`);
});
