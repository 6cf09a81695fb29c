import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expected } from './repositories/expected.ts';
import { readRepositories } from './repositories/repositories.ts';

const folder = new URL('./repositories/', import.meta.url);
const repositories = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .flatMap((file) => readRepositories(readFileSync(new URL(file, folder), 'utf8')));

const nameOf = (of: string): string => of.split(/[:!]/)[0] ?? '';

test('at least a hundred public repositories have an expectation each, and every expectation its repository', () => {
  const names = repositories.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(100);
  expect(names.toSorted()).toEqual([...new Set(expected.map(({ of }) => nameOf(of)))].toSorted());
  for (const { commit } of repositories) expect(commit).toMatch(/^[0-9a-f]{12}$/);
});
