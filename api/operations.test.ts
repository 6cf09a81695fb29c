import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makeBodies } from '../test/run/make-lists.ts';
import { namedOperations } from './engine/registry.ts';
import { operations } from './operations.ts';

// One that is neither exported nor in the group is a variable without a use, which the linter refuses.
test('every operation that a file exports is in the group of its folder, and the group in the list', async () => {
  const listed = new Set<unknown>(namedOperations(operations).map(({ operation }) => operation));
  const missing: string[] = [];
  for (const file of await readdir(import.meta.dirname, { recursive: true })) {
    if (!/^(?!engine\/)[^/]+\/.+\.ts$/.test(file) || file.endsWith('.test.ts')) continue;
    const source = await readFile(new URL(file, import.meta.url), 'utf8');
    const names = [...source.matchAll(/^export const (\w+) = operation\(/gm)].map(([, name = '']) => name);
    if (names.length === 0) continue;
    const defined: Record<string, unknown> = await import(new URL(file, import.meta.url).href);
    missing.push(...names.filter((name) => !listed.has(defined[name])).map((name) => `${name} of api/${file}`));
  }
  expect(missing).toEqual([]);
  // The pattern above finds all of them.
  expect(listed.size).toBeGreaterThan(70);
});

test('the forms of the console know the bodies as they are now', async () => {
  const kept = await readFile(new URL('../web/control-plane/bodies.json', import.meta.url), 'utf8');
  expect(kept === makeBodies(), 'Run npm run lists').toBe(true);
});
