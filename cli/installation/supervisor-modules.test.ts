import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const imported = /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g;

/**
 * The files and packages that a program may load, and by whom each was found first. Usually also those that are loaded later:
 * they would stay in the memory of a process that runs for months.
 */
function loadedBy(entry: string, later: 'loaded later, too' | 'at once' = 'loaded later, too'): Map<string, string> {
  const found = new Map([[entry, '']]);
  for (const file of found.keys()) {
    if (!file.startsWith('/')) continue;
    for (const [, statically, dynamically] of readFileSync(file, 'utf8').matchAll(imported)) {
      const name = statically ?? (later === 'at once' ? undefined : dynamically);
      if (name === undefined) continue;
      const target = name.startsWith('.') ? join(dirname(file), name) : name;
      if (!found.has(target)) found.set(target, file);
    }
  }
  return found;
}

test('the supervisor loads neither the ORM nor the client of Temporal: it lives as long as the installation', () => {
  const loaded = loadedBy(join(root, 'cli', 'installation', 'up.ts'));
  const heavy = [...loaded].filter(([name]) => /^(@mikro-orm|@temporalio|kysely|fastify|vite)\b/.test(name));
  expect(heavy.map(([name, by]) => `${name} by ${by}`)).toEqual([]);
  // The walk sees what it should: its own files, and what is loaded on demand.
  expect(loaded.has(join(root, 'runtime', 'supervisor', 'kept-part.ts'))).toBe(true);
  expect(loaded.has('selfsigned')).toBe(true);
  expect([...loaded.keys()].filter((name) => name.startsWith('/') && !existsSync(name))).toEqual([]);
});

test('the process that prepares the database does, and ends when it is done', () => {
  const loaded = loadedBy(join(root, 'cli', 'preparation', 'prepare-main.ts'));
  expect([...loaded.keys()].some((name) => name.startsWith('@mikro-orm'))).toBe(true);
  expect([...loaded.keys()].some((name) => name.startsWith('@temporalio'))).toBe(true);
});

test.each(['api', 'worker', 'identity'])('the %s serves without the ORM, which only migrations need', (room) => {
  const loaded = loadedBy(join(root, room, 'main.ts'));
  const orm = [...loaded].filter(([name]) => name.startsWith('@mikro-orm'));
  expect(orm.map(([name, by]) => `${name} by ${by}`)).toEqual([]);
  expect(loaded.has('kysely')).toBe(true);
});

test.each([
  ['cli/installation/up.ts', /^(undici|tar-stream)\b/, 'needs no download'],
  ['identity/main.ts', /^@simplewebauthn\b/, 'has seen no passkey'],
])('%s starts without %s while it %s', (entry, spared) => {
  const loaded = loadedBy(join(root, entry), 'at once');
  const found = [...loaded].filter(([name]) => spared.test(name));
  expect(found.map(([name, by]) => `${name} by ${by}`)).toEqual([]);
  expect([...loadedBy(join(root, entry)).keys()].some((name) => spared.test(name))).toBe(true);
});

test.each([
  'cli/installation/up.ts',
  'api/main.ts',
  'worker/main.ts',
  'identity/main.ts',
  'agent/main.ts',
  'agent/ingress/main.ts',
])('%s gives memory back when it rests', (entry) => {
  expect(loadedBy(join(root, entry)).has(join(root, 'machine', 'idle-collection.ts'))).toBe(true);
});
