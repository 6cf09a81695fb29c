import { expect, test } from 'vitest';
import { dockerIgnores, dockerRules } from './docker-ignore.ts';

// By the documentation of `.dockerignore`, and the tests of the pattern matcher of Moby.
test.each([
  ['# comment\n\n  ', ['a'], []],
  ['*/temp*', ['some/temporary.txt', 'some/temp/x'], ['temp', 'a/b/temp']],
  ['*/*/temp*', ['some/sub/temporary.txt'], ['some/temp']],
  ['temp?', ['tempa', 'tempb/x'], ['temp', 'tempab', 'a/tempa']],
  ['**/*.go', ['a.go', 'a/b.go', 'a/b/c.go'], ['a.gox']],
  ['*.md\n!README.md', ['a.md'], ['README.md', 'docs/a.md']],
  ['*.md\n!README*.md\nREADME-secret.md', ['README-secret.md'], ['README.md']],
  ['*.md\nREADME-secret.md\n!README*.md', ['a.md'], ['README-secret.md']],
  ['/foo', ['foo', 'foo/bar'], ['a/foo']],
  ['foo/', ['foo', 'foo/bar'], ['a/foo', 'foobar']],
  ['./foo/../bar', ['bar/x'], ['foo']],
  ['docs\n!docs/README.md', ['docs/a', 'docs/x/README.md'], ['docs/README.md']],
  ['*\n!src', ['a', 'b/c'], ['src', 'src/a/b']],
  ['**\n!src/**', ['a', 'b/c'], ['src/a', 'src/a/b']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b/c'], ['ab']],
  ['a**', ['a', 'ab/c', 'a/b/c'], ['b/a']],
  ['[a-c].txt', ['b.txt'], ['d.txt']],
  ['a.b', ['a.b'], ['axb']],
  ['a\\*b', ['a*b'], ['axb']],
  ['(a)+{b}', ['(a)+{b}'], ['a']],
  ['  spaced  \r', ['spaced'], []],
  ['*\n!', ['a'], []],
  ['[z-a]\nb', ['b'], ['z']],
  ['*', ['a', '.gitignore'], ['Dockerfile', '.dockerignore']],
  ['ü*', ['über', 'ü'], ['u']],
])('%j', (text, leftOut, stay) => {
  const rules = dockerRules(text);
  const told = (paths: string[]) => paths.filter((path) => dockerIgnores(rules, path));
  expect(told([...leftOut, ...stay])).toEqual(text.startsWith('#') ? [] : leftOut);
});
