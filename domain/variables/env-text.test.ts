import { describe, expect, test } from 'vitest';
import { fc } from '../../test/run/drawn.ts';
import { envTextOf, looksSecret, parseEnvText } from './env-text.ts';

const values = (text: string) => Object.fromEntries(parseEnvText(text).variables.map(({ key, value }) => [key, value]));

describe('parseEnvText', () => {
  test.each([
    ['a value', 'A=b', { A: 'b' }],
    ['room around it', '  A = b  ', { A: 'b' }],
    ['export', 'export A=b\nexport\tB=c', { A: 'b', B: 'c' }],
    ['an empty one', 'A=\nB=""', { A: '', B: '' }],
    ['comments', '# first\n\nA=b # behind\nB=c#d\nC="e # f" # g', { A: 'b', B: 'c#d', C: 'e # f' }],
    ['an empty one with a comment', 'A= # nothing\nB=c', { A: '', B: 'c' }],
    ['CRLF and a byte order mark', '\uFEFFA=b\r\nB="c\r\nd"\r\n', { A: 'b', B: 'c\nd' }],
    ['old line ends', 'A=b\rB=c', { A: 'b', B: 'c' }],
    ['double quotes', 'A="b\\nc\\t\\"d\\" \\\\ \\$e \\x"', { A: 'b\nc\t"d" \\ $e \\x' }],
    ['single quotes', 'A=\'b\\n"c"\'', { A: 'b\\n"c"' }],
    ['back quotes', 'A=`it\'s "so"`', { A: 'it\'s "so"' }],
    [
      'several lines',
      'A="-----BEGIN\nMII=\n# no comment\n-----END"\nB=c',
      { A: '-----BEGIN\nMII=\n# no comment\n-----END', B: 'c' },
    ],
    ['an equals sign', 'A=b=c==', { A: 'b=c==' }],
    ['a quote within', "A=it's", { A: "it's" }],
    ['an address', 'A=postgres://u:p@h:5432/d?x=1#y', { A: 'postgres://u:p@h:5432/d?x=1#y' }],
    ['a name of a prototype', '__proto__=a\nconstructor=b', JSON.parse('{"__proto__":"a","constructor":"b"}')],
    ['other letters', 'A=Grüße 👋', { A: 'Grüße 👋' }],
  ])('%s', (_, text, wanted) => {
    expect(parseEnvText(text).faults).toEqual([]);
    expect(values(text)).toEqual(wanted);
  });

  test.each([
    ['no equals sign', 'A=1\nHELLO', [{ line: 2, message: 'is not KEY=value: HELLO' }]],
    ['no key', '=1', [{ line: 1, message: 'is not KEY=value: =…' }]],
    ['an open quote', 'A=1\nB="x\nC=2', [{ line: 2, message: 'B has a quote that is not closed' }]],
    ['text behind a quote', 'A="x" y', [{ line: 1, message: 'A has text behind its closing quote' }]],
    [
      'a key that is there again',
      'A=1\nB="\n"\nA=2\nA=3',
      [{ line: 4, message: 'A is there more than once: on lines 1, 4, 5' }],
    ],
  ])('%s is named with its line', (_, text, faults) => {
    expect(parseEnvText(text).faults).toEqual(faults);
  });

  test('a fault never shows a value', () => {
    const { faults } = parseEnvText('PASS WORD=hunter2\nKEY="hunter2" hunter2\nOPEN="hunter2');
    expect(faults).toHaveLength(3);
    expect(JSON.stringify(faults)).not.toContain('hunter2');
  });

  test('lines are counted over values of several lines', () => {
    expect(parseEnvText('A="1\n2\n3"\n\nB=x\r\nC=y').variables.map(({ key, line }) => [key, line])).toEqual([
      ['A', 1],
      ['B', 5],
      ['C', 6],
    ]);
  });

  test('10,000 variables and a value of 1 MB are read at once', () => {
    const text = Array.from({ length: 10_000 }, (_, number) => `KEY_${number}="value ${number}"`).join('\n');
    expect(parseEnvText(`${text}\nBIG='${'x'.repeat(1_000_000)}'`).variables).toHaveLength(10_001);
  });

  test('what is written is read again, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(values(envTextOf('KEY', value))).toEqual({ KEY: value });
      }),
    );
  });
});

test.each([
  ['DATABASE_PASSWORD', 'x', true],
  ['STRIPE_API_KEY', 'x', true],
  ['SECRET_KEY_BASE', 'x', true],
  ['github_token', 'x', true],
  ['DATABASE_URL', 'postgres://u:p@h/d', true],
  ['DATABASE_URL', 'postgres://h/d', false],
  ['CERT', '-----BEGIN RSA PRIVATE KEY-----', true],
  ['LEVEL', 'info', false],
  ['MONKEY', 'x', false],
  ['COMPASS', 'x', false],
  ['PASSWORD', '', false],
])('%s=%s looks secret: %s', (key, value, is) => {
  expect(looksSecret(key, value)).toBe(is);
});
