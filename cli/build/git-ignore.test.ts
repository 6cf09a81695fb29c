import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { testInAll } from '../../test/run/matrix.ts';
import { listFolder } from './list-folder.ts';

let root: string;
let folder: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ballast-ignore-'));
  folder = join(root, 'tree');
});

afterAll(() => rmSync(root, { recursive: true }));

const git = (cwd: string, words: string[], input?: string) => {
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', words, { cwd, env, ...(input === undefined ? {} : { input }), encoding: 'latin1' });
};

/** The files that git itself would add, which are those that it does not ignore: nothing is tracked. */
function gitLists(folder: string): string[] {
  const out = git(folder, ['ls-files', '-z', '--others', '--exclude-standard']);
  return out
    .split('\0')
    .filter(Boolean)
    .map((path) => Buffer.from(path, 'latin1').toString('utf8'))
    .toSorted();
}

async function ourList(folder: string): Promise<string[]> {
  return (await listFolder(folder)).map(({ path }) => path).toSorted();
}

/** One tree for all: what it has is the same, and the rules alone are others. */
function tree(rules: Readonly<Record<string, string>>): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  git(folder, ['init', '-q']);
  for (const path of everything) write(folder, path, '');
  for (const [path, text] of Object.entries(rules)) write(folder, path, text);
  return folder;
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, 'latin1');
}

const names = [
  'a',
  'b',
  'ab',
  'abc',
  'a.js',
  'b.log',
  'foo',
  'foo.js',
  '.env',
  '[x]',
  'a b',
  'b ',
  '!a',
  '#a',
  'é',
  'a\\b',
  'x-y',
  '1',
  'Z',
  'a\nb',
];
const directories = ['', 'src/', 'src/a/', 'build/', 'src/build/', 'src/a/build/foo/', 'b/', 'foo/bar/'];
const everything = directories.flatMap((directory) =>
  names
    .map((name) => `${directory}d${name === 'a' ? '' : '_'}/${name}`)
    .concat(names.filter((name) => !['a', 'b', 'foo'].includes(name)).map((name) => `${directory}${name}`)),
);

test.each([
  ['names, wherever they are', ['*.js', 'foo', '.env']],
  ['anchored', ['/abc', 'src/a.js', '/src/build']],
  ['directories alone', ['build/', 'abc/', 'src/*/']],
  ['negations', ['*.js', '!foo.js', 'build/', '!build/ab', '!src/build/', '/*', '!/src', '/src/*', '!/src/a']],
  ['double stars', ['**/build/ab', 'src/**/foo.js', 'src/**', '!src/**/', 'foo/**/', 'b**', '**b/', 'a**/b']],
  ['more double stars', ['src**/a.js', 's**/b.log', '***/ab', 'src/***/abc', '**', '!*/', '!**/.env']],
  ['letters', ['?', 'a?', '?.js', 'src/?', 'é', '??']],
  [
    'sets',
    [
      '[ab]',
      '[!a]b',
      '[^a]b',
      '[a-c]b*',
      '[]-]',
      '[[:digit:]]',
      '[[:upper:]x]*',
      '[[:nope:]]',
      '[',
      '[a',
      '[z-a]',
      '[a-]',
      '[\\]]',
      '[[]x]',
      '[!]a]',
      '[[:digit:]-x]',
      'x[-]y',
      '[a\\-z]b',
    ],
  ],
  ['escapes', ['\\!a', '\\#a', '#a', 'a\\ b', '\\[x\\]', 'a\\\\b', 'b\\', '\\a.js', 'a\\*b']],
  ['spaces', ['b\\ ', 'ab   ', 'a b', ' abc', 'foo.js \t', '   ']],
  ['nothing', ['', '/', '!', '//', '!/', '\\', '.', './a.js', '..', 'src/./a.js', 'src//ab']],
])('%s: as git has it', async (_, lines) => {
  const each = inject('whole') ? lines.map((line) => `${line}\n`) : [];
  tree({});
  for (const text of [lines.join('\n'), lines.join('\r\n'), ...each]) {
    write(folder, '.gitignore', Buffer.from(text, 'utf8').toString('latin1'));
    expect([text, await ourList(folder)]).toEqual([text, gitLists(folder)]);
  }
});

test('rules of inner directories, of the repository around the folder, and of its exclude file', async () => {
  tree({
    '.gitignore': '*.js\n/src/abc\n!/src/a/a.js\n',
    'src/.gitignore': '\xef\xbb\xbf!a.js\n/ab\nbuild/*\n!build/foo\n',
    'src/a/.gitignore': '*\n!.gitignore\n!ab*\n',
    '.git/info/exclude': 'Z\nsrc/1\n!b.log\n',
    'build/.gitignore': '*.log\n',
  });
  expect(await ourList(folder)).toEqual(gitLists(folder));
  for (const inner of ['src', 'src/a', 'build']) {
    expect([inner, await ourList(join(folder, inner))]).toEqual([inner, gitLists(join(folder, inner))]);
  }
});

testInAll('patterns that were drawn: as git has it', async () => {
  let seed = 20261123;
  const draw = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const parts = ['a', 'b', 'foo', 'src', '*', '**', '?', '/', '/', '/', '.js', '[ab]', '[!a]', '\\', 'build', '!', ' '];
  const text = () => Array.from({ length: 1 + draw(5) }, () => parts[draw(parts.length)]).join('');
  tree({});
  for (let round = 0; round < 300; round += 1) {
    const own = Array.from({ length: 1 + draw(4) }, text).join('\n');
    const inner = Array.from({ length: draw(3) }, text).join('\n');
    write(folder, '.gitignore', own);
    write(folder, 'src/.gitignore', inner);
    expect([own, inner, await ourList(folder)]).toEqual([own, inner, gitLists(folder)]);
  }
});
