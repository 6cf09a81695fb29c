import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listFolder } from '../../cli/build/list-folder.ts';

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

/** Patterns of a `.gitignore`, by what they are about. */
export const patterns: readonly (readonly [about: string, lines: readonly string[]])[] = [
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
];

/** A folder of which git and we say what is ignored: what it has is the same, and the rules alone are others. */
export class IgnoredTree {
  readonly #root = mkdtempSync(join(tmpdir(), 'ballast-ignore-'));
  readonly folder = join(this.#root, 'tree');

  /** The whole tree anew, with these files besides. */
  make(rules: Readonly<Record<string, string>> = {}): void {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    this.#git(this.folder, ['init', '-q']);
    for (const path of everything) this.write(path, '');
    for (const [path, text] of Object.entries(rules)) this.write(path, text);
  }

  /** `text`: a character for each byte. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text, 'latin1');
  }

  /** The files that git itself would add, which are those that it does not ignore: nothing is tracked. */
  gitLists(inner = ''): string[] {
    const out = this.#git(join(this.folder, inner), ['ls-files', '-z', '--others', '--exclude-standard']);
    return out
      .split('\0')
      .filter(Boolean)
      .map((path) => Buffer.from(path, 'latin1').toString('utf8'))
      .toSorted();
  }

  async ourList(inner = ''): Promise<string[]> {
    return (await listFolder(join(this.folder, inner))).map(({ path }) => path).toSorted();
  }

  remove(): void {
    rmSync(this.#root, { recursive: true });
  }

  #git(cwd: string, words: string[]): string {
    const env = { PATH: process.env.PATH, HOME: this.#root, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', words, { cwd, env, encoding: 'latin1' });
  }
}
