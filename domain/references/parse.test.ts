import { expect, test } from 'vitest';
import { partsOf, referencesOf } from './names.ts';

const ref = (reference: string) => ({ reference });
const long = 'n'.repeat(300);

test.each<[string, string, ReturnType<typeof partsOf>]>([
  ['a text', 'postgres://db', ['postgres://db']],
  ['nothing', '', []],
  ['a variable of another service', '${{db.PASSWORD}}', [ref('db.PASSWORD')]],
  ['an own one', 'a${{KEY}}b', ['a', ref('KEY'), 'b']],
  ['a process', '${{db.web.HOST}}:${{db.web.PORT}}', [ref('db.web.HOST'), ':', ref('db.web.PORT')]],
  ['blanks', '${{  db.HOST\t}}', [ref('db.HOST')]],
  ['an escape', '$${{db.HOST}}', ['${{db.HOST}}']],
  ['an escape beside a reference', '$${{a}}${{a}}', ['${{a}}', ref('a')]],
  ['a dollar before an escape', '$$${{a}}', ['$${{a}}']],
  ['two references side by side', '${{a}}${{b}}', [ref('a'), ref('b')]],
  ['braces that do not close', '${{db.HOST', ['${{db.HOST']],
  ['braces that close once', '${{db.HOST}', ['${{db.HOST}']],
  ['a variable of a shell', '${HOME} $HOME {{x}}', ['${HOME} $HOME {{x}}']],
  ['nested', '${{ ${{a}} }}', ['${{ ', ref('a'), ' }}']],
  ['four names', '${{a.b.c.d}}', ['${{a.b.c.d}}']],
  ['a missing name', '${{a.}}${{.a}}${{}}', ['${{a.}}${{.a}}${{}}']],
  ['only punctuation', '${{!?}}${{...}}', ['${{!?}}${{...}}']],
  ['an expression', '${{ a && b }}', ['${{ a && b }}']],
  ['lines between', '${{\na\n}}', ['${{\na\n}}']],
  ['unicode', '${{dienst-ä.SCHLÜSSEL}}${{服务.键}}', [ref('dienst-ä.SCHLÜSSEL'), ref('服务.键')]],
  ['names that differ by case', '${{Db.Key}}${{db.KEY}}', [ref('Db.Key'), ref('db.KEY')]],
  ['300 characters', `\${{${long}.${long}}}`, [ref(`${long}.${long}`)]],
])('%s', (_, value, parts) => {
  expect(partsOf(value)).toEqual(parts);
});

test('a value without references stays as it is; one with an escape is read', () => {
  expect(referencesOf('${HOME}')).toBeUndefined();
  expect(referencesOf('${{a b}}')).toBeUndefined();
  expect(referencesOf('$${{a}}')).toEqual([]);
  expect(referencesOf('${{b}}${{ a }}${{b}}')).toEqual(['b', 'a']);
});

test.each([
  ['braces', '${{'.repeat(350_000)],
  ['a name', `\${{${'a'.repeat(1_000_000)}`],
  ['blanks', `\${{a${' '.repeat(1_000_000)}`],
  ['dollars', '$'.repeat(1_000_000)],
  ['names', `\${{${'a.a '.repeat(250_000)}}}`],
])('a value of 1 MB of %s is read at once and stays as it is', (_, value) => {
  expect(partsOf(value).join('')).toBe(value.replaceAll('$${{', '${{'));
});
