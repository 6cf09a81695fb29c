/** The rules that Biome cannot check: imports between rooms, circles, crowded folders. Run by `npm run lint`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { breaches } from './house.ts';

const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).trim().split('\n');
const code = list.filter((file) => /\.(ts|tsx|mjs|sh)$/.test(file));
const found = breaches(new Map(code.map((file) => [file, readFileSync(file, 'utf8')])));
for (const breach of found) console.error(breach);
if (found.length > 0) process.exitCode = 1;
