import { readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptConsole } from '../../web/build/kept-console.ts';

/** The scripts that a page needs of the console before it can show anything. */
async function firstFiles(directory: string): Promise<string[]> {
  const document = await readFile(join(directory, 'index.html'), 'utf8');
  const waiting = [...document.matchAll(/files\/([^"]+\.js)"/g)].map(([, name]) => String(name));
  const files = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const code = await readFile(join(directory, 'files', file), 'utf8');
    waiting.push(...[...code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, name]) => String(name)));
  }
  return [...files];
}

/** All of these, as they are sent. */
async function compressedBytes(directory: string): Promise<number> {
  const path = (file: string) => join(directory, 'files', file);
  const sizes = (await firstFiles(directory)).map(async (file) => {
    const { size } = await stat(`${path(file)}.br`).catch(() => stat(path(file)));
    return size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test('the script that every page waits for has at most 130 kB, compressed', async () => {
  const directory = await keptConsole(tmpdir(), new AbortController().signal);
  expect(await compressedBytes(directory)).toBeLessThanOrEqual(130_000);
});

test('the canvas and its library are in files that no other page waits for', async () => {
  const directory = await keptConsole(tmpdir(), new AbortController().signal);
  const files = (await readdir(join(directory, 'files'))).filter((name) => name.endsWith('.js'));
  const withLibrary: string[] = [];
  for (const name of files) {
    const code = await readFile(join(directory, 'files', name), 'utf8');
    if (code.includes('react-flow__')) withLibrary.push(name);
  }
  expect(withLibrary).toEqual([expect.stringMatching(/^canvas-view-/)]);
  expect(await firstFiles(directory)).not.toContain(withLibrary[0]);
});

test('no two files wait for each other: their code would run in the wrong order', async () => {
  const files = join(await keptConsole(tmpdir(), new AbortController().signal), 'files');
  const scripts = (await readdir(files)).filter((name) => name.endsWith('.js'));
  const imports = new Map<string, string[]>();
  for (const name of scripts) {
    const code = await readFile(join(files, name), 'utf8');
    imports.set(
      name,
      [...code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, imported]) => String(imported)),
    );
  }
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const next of imports.get(from) ?? []) if (!seen.has(next)) reached(next, seen.add(next));
    return seen;
  };
  expect(scripts.filter((name) => reached(name).has(name))).toEqual([]);
});
