import { afterAll, beforeAll, expect, test } from 'vitest';
import { IgnoredTree, patterns } from '../../test/builds/ignored-tree.ts';

const tree = new IgnoredTree();
beforeAll(() => tree.make());
afterAll(() => tree.remove());

test.each(patterns)('%s, each line by itself: as git has it', async (_, lines) => {
  for (const text of lines.map((line) => `${line}\n`)) {
    tree.write('.gitignore', Buffer.from(text, 'utf8').toString('latin1'));
    expect([text, await tree.ourList()]).toEqual([text, tree.gitLists()]);
  }
});

test('patterns that were drawn: as git has it', async () => {
  let seed = 20261123;
  const draw = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const parts = ['a', 'b', 'foo', 'src', '*', '**', '?', '/', '/', '/', '.js', '[ab]', '[!a]', '\\', 'build', '!', ' '];
  const text = () => Array.from({ length: 1 + draw(5) }, () => parts[draw(parts.length)]).join('');
  tree.make();
  for (let round = 0; round < 300; round += 1) {
    const own = Array.from({ length: 1 + draw(4) }, text).join('\n');
    const inner = Array.from({ length: draw(3) }, text).join('\n');
    tree.write('.gitignore', own);
    tree.write('src/.gitignore', inner);
    expect([own, inner, await tree.ourList()]).toEqual([own, inner, tree.gitLists()]);
  }
});
