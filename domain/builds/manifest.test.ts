import { describe, expect, test } from 'vitest';
import type { SourceFile } from './manifest.ts';
import { linkFault, manifestFaults, manifestText, pathFault } from './manifest.ts';

const limits = { files: 4, bytes: 1_000 };
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const file = (path: string, more: Partial<SourceFile> = {}): SourceFile => ({
  ...{ path, kind: 'file', size: 1, digest: digest('a') },
  ...more,
});

test.each([
  ['a'],
  ['a/b/c.txt'],
  ['a\nb'],
  ['…/ü'],
  [' '],
  ['-n'],
  ['a\\b'],
  ['...'],
  ['.env'],
  ['x'.repeat(255)],
  [`${'é'.repeat(127)}x`],
])('the path %j is plain', (path) => {
  expect(pathFault(path)).toBeUndefined();
});

test.each([
  ['', 'is empty'],
  ['/etc/passwd', 'is absolute'],
  ['..', 'the name ".."'],
  ['a/../b', 'the name ".."'],
  ['./a', 'the name "."'],
  ['a//b', 'an empty name'],
  ['a/', 'an empty name'],
  ['a\0b', 'has a NUL'],
  ['a\ud800', 'no UTF-8'],
  ['x'.repeat(256), 'more than 255 bytes'],
  ['é'.repeat(128), 'more than 255 bytes'],
  [`${'x/'.repeat(2_000)}x`, 'longer than 4000 bytes'],
])('the path %j is refused', (path, why) => {
  expect(pathFault(path)).toContain(why);
});

test.each([
  ['a', 'b'],
  ['a/b', '../c'],
  ['a/b/c', '../../d'],
  ['a/b', './c/./d'],
  ['a', '.'],
  ['a/b', '..'],
])('a link at %j may lead to %j', (path, target) => {
  expect(linkFault(path, target)).toBeUndefined();
});

test.each([
  ['a', '/etc/passwd', 'out of the folder'],
  ['a', '..', 'out of the folder'],
  ['a', './../b', 'out of the folder'],
  ['a/b', '../../c', 'out of the folder'],
  // `b` may be a link to `.`: then this leads above the folder.
  ['a', 'b/..', 'behind a name'],
  ['a/b', '../c/../d', 'behind a name'],
  ['a', '', 'to nothing'],
  ['a', 'b\0', 'no UTF-8'],
])('a link at %j may not lead to %j', (path, target, why) => {
  expect(linkFault(path, target)).toContain(why);
});

describe('a manifest', () => {
  const told = (files: readonly SourceFile[], of = limits) => manifestFaults(files, of);

  test('of plain files and links has no fault', () => {
    const link = file('l', { kind: 'link', digest: digest('b') });
    expect(told([file('a'), file('b/c', { kind: 'executable' }), file('b/d'), link])).toEqual([]);
  });

  test('has a bounded number of files and bytes, and names the largest', () => {
    expect(told([])).toMatchObject([{ message: expect.stringContaining('has no file') }]);
    expect(told('abcde'.split('').map((path) => file(path)))).toMatchObject([
      { message: expect.stringMatching(/^has 5 files, and 4 are allowed; leave some out/) },
    ]);
    expect(told([file('a', { size: 2 }), file('big', { size: 999, digest: digest('b') })])).toMatchObject([
      { message: expect.stringContaining('the largest is "big" with 999') },
    ]);
  });

  test('names a path once, whatever it is there', () => {
    expect(told([file('a'), file('a', { kind: 'link' })])).toMatchObject([
      { index: 1, field: 'path', path: 'a', message: expect.stringContaining('listed twice') },
    ]);
  });

  test.each(['file', 'link'] as const)('has nothing beneath a %s', (kind) => {
    expect(told([file('a/b/c'), file('a', { kind })])).toMatchObject([
      { index: 0, path: 'a/b/c', message: `lies beneath "a", which is a ${kind}; list one of the two` },
    ]);
    expect(told([file('a/b'), file('a.b'), file('ab')])).toEqual([]);
  });

  test('says one size for one digest, and digests that are some', () => {
    expect(told([file('a'), file('b', { size: 2 })])).toMatchObject([{ index: 1, field: 'size' }]);
    expect(told([file('a', { digest: 'sha256:A' })])).toMatchObject([{ index: 0, field: 'digest' }]);
    expect(told([file('a', { digest: `sha512:${'a'.repeat(128)}` })])).toMatchObject([{ field: 'digest' }]);
    expect(told([file('a', { kind: 'link', size: 5_000 })], { files: 4, bytes: 9_000 })).toMatchObject([
      { field: 'size' },
    ]);
  });

  test('has one digest in whatever order, and another for each difference', () => {
    const [a, b] = [file('a'), file('b')];
    expect(manifestText([a, b])).toBe(manifestText([b, a]));
    const others = [[a], [a, file('c')], [a, file('b', { kind: 'executable' })], [a, file('b', { digest: 'x' })]];
    const texts = others.map(manifestText);
    expect(new Set([...texts, manifestText([a, b])]).size).toBe(5);
    expect(manifestText([file('a\nb')]).split('\n')).toHaveLength(1);
  });

  test('of a hostile size is told in 100 faults at most', () => {
    const many = Array.from({ length: 500 }, () => file('..'));
    expect(told(many, { files: 1_000, bytes: 1_000 })).toHaveLength(100);
  });
});
