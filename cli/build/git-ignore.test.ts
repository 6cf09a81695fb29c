import { afterAll, beforeAll, expect, test } from 'vitest';
import { IgnoredTree, patterns } from '../../test/builds/ignored-tree.ts';

const tree = new IgnoredTree();
beforeAll(() => tree.make());
afterAll(() => tree.remove());

test.each(patterns)('%s: as git has it', async (_, lines) => {
  for (const text of [lines.join('\n'), lines.join('\r\n')]) {
    tree.write('.gitignore', Buffer.from(text, 'utf8').toString('latin1'));
    expect([text, await tree.ourList()]).toEqual([text, tree.gitLists()]);
  }
});

test('rules of inner directories, of the repository around the folder, and of its exclude file', async () => {
  tree.make({
    '.gitignore': '*.js\n/src/abc\n!/src/a/a.js\n',
    'src/.gitignore': '\xef\xbb\xbf!a.js\n/ab\nbuild/*\n!build/foo\n',
    'src/a/.gitignore': '*\n!.gitignore\n!ab*\n',
    '.git/info/exclude': 'Z\nsrc/1\n!b.log\n',
    'build/.gitignore': '*.log\n',
  });
  expect(await tree.ourList()).toEqual(tree.gitLists());
  for (const inner of ['src', 'src/a', 'build'])
    expect([inner, await tree.ourList(inner)]).toEqual([inner, tree.gitLists(inner)]);
});
