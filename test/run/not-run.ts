import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBeneath } from './run-directory.ts';

/** A group of tests that this machine lacks something for. */
export interface NotRun {
  group: string;
  /** The next step, or the obstacle. */
  remedy: string;
  /** Packages of Debian that would bring it. */
  packages: readonly string[];
}

/** Noted for the end of the run, where all of them are listed once. */
export function notRun(group: string, remedy: string, ...packages: string[]): void {
  const directory = notesIn(runBeneath());
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, encodeURIComponent(group)), JSON.stringify({ group, remedy, packages }));
}

/** Of tests that need something which others of their file do without: the one that came here is skipped. */
export async function skipTest(...missing: Parameters<typeof notRun>): Promise<void> {
  notRun(...missing);
  // Settings of Vitest import this file, where there is no test.
  const { TestRunner } = await import('vitest');
  TestRunner.getCurrentTest()?.context.skip(missing[1]);
}

/** The lines at the end of a run: each group that did not run, then the one command that brings what Debian has of it. */
export function notRunLines(missing: readonly NotRun[]): string[] {
  if (missing.length === 0) return [];
  const packages = [...new Set(missing.flatMap((one) => one.packages))].sort();
  const command =
    packages.length === 0 ? [] : ['', 'With this they run as well:', `  apt-get install -y ${packages.join(' ')}`];
  return [...missing.map(({ group, remedy }) => `NOT RUN: ${group}: ${remedy}`), ...command];
}

/** `run`: the directory of the run. */
export function readNotRun(run: string): NotRun[] {
  try {
    const directory = notesIn(run);
    return readdirSync(directory)
      .sort()
      .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')));
  } catch {
    return [];
  }
}

const notesIn = (run: string): string => join(run, 'not-run');
