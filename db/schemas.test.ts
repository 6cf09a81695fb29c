import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { declaredForeignKeys, foreignKeyName, foreignKeys, keptForeignKeys } from './postgres/foreign-keys.ts';
import { schemas } from './schemas.ts';

test('every entity that a file defines is in the tables of its folder, and these in the list', async () => {
  const listed = new Set(schemas.map(({ meta }) => meta.className));
  const missing: string[] = [];
  for (const file of await readdir(import.meta.dirname, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const source = await readFile(new URL(file, import.meta.url), 'utf8');
    for (const [, table = ''] of source.matchAll(/defineEntity\(\{\s*name: '(\w+)'/g)) {
      if (!listed.delete(table)) missing.push(`${table} of db/${file}`);
    }
  }
  expect(missing).toEqual([]);
  expect([...listed]).toEqual([]);
});

test('the kept foreign keys are those of the tables', async () => {
  const kept = await readFile(keptForeignKeys, 'utf8');
  expect(kept === (await declaredForeignKeys()), 'Run npm run lists').toBe(true);
});

test('a foreign key stands once, between tables that there are', () => {
  const tables = new Set<string | undefined>(schemas.map(({ meta }) => meta.className));
  const names = foreignKeys.map(foreignKeyName);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(
    foreignKeys.flatMap(({ table, references }) => [table, references]).filter((table) => !tables.has(table)),
  ).toEqual([]);
});
