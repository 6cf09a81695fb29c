/** The rules that Biome cannot check: rooms, circles, crowded folders, tenants, words, tests that touch others. Run by `npm run lint`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { breaches } from './house.ts';
import { openAlternatives, unguardedStatements } from './tenants.ts';
import { strayWords } from './words.ts';

const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).trim().split('\n');
const code = list.filter((file) => /\.(ts|tsx|mjs|sh)$/.test(file));
const documents = list.filter((file) => file.endsWith('.md'));
const read = (files: readonly string[]) => new Map(files.map((file) => [file, readFileSync(file, 'utf8')] as const));
const found = [
  ...breaches(read(code)),
  ...unguardedStatements(read(code)),
  ...openAlternatives(read(code)),
  ...strayWords(read([...code, ...documents])),
];
for (const breach of found) console.error(breach);
if (found.length > 0) process.exitCode = 1;
