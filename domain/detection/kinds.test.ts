import { expect, test } from 'vitest';
import { kinds } from '../../test/kinds/kinds.ts';
import { treeOf } from '../../test/kinds/tree-of.ts';
import { detect } from './detect.ts';

test.each(kinds.map((kind) => [kind.name, kind] as const))('%s is detected', (_, { files, context, detected }) => {
  const found = detect(treeOf(files), context);
  expect(found.message).toBe('');
  expect(found.detected).toMatchObject({ ...detected, buildable: true, static: detected.port === 0 });
  expect(found.plan).toMatchObject({ provider: detected.provider, port: detected.port });
});

test('each kind has a name of its own, which is a name of a repository', () => {
  const names = kinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z-]+$/);
});
