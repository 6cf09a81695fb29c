import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const page = await readFile(new URL('docs/faults-of-peers.md', root), 'utf8');
const faults = page.split(/^## /m).slice(1);

test.each(faults.map((text) => [text.slice(0, text.indexOf('\n')), text]))(
  'each test that is named for it is there: %s',
  async (_, text) => {
    const named = [...text.matchAll(/^- `(.+?)`: (.+)$/gm)].map(([, path = '', name = '']) => ({ path, name }));
    expect(named.length).toBeGreaterThan(0);
    for (const { path, name } of named) {
      const code = await readFile(new URL(path, root), 'utf8');
      const isThere = [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => code.includes(quoted));
      expect(isThere, `${path} has no test "${name}".`).toBe(true);
    }
  },
);

test('the faults that people tell of are all there', () => expect(faults).toHaveLength(10));
