import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { notRunLines, readNotRun } from './not-run.ts';
import { commands, tierOf } from './tiers.ts';

/** The result of one file, a line of `TEST_RESULTS`. */
export interface FileResult {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
}

/**
 * The last lines of a run: what repeats each failure alone, and what did not run for want of something. Each file's result is
 * written down as it ends, so that a longer run can be resumed.
 */
export class Closing implements Reporter {
  readonly #run: string;
  readonly #seed: number;
  readonly #results = process.env.TEST_RESULTS;

  constructor({ run, seed }: { run: string; seed: number }) {
    this.#run = run;
    this.#seed = seed;
  }

  onTestModuleEnd(module: TestModule): void {
    if (this.#results !== undefined) appendFileSync(this.#results, `${JSON.stringify(resultOf(module))}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const lines = [...repeating(modules, this.#seed), ...notRunLines(readNotRun(this.#run))];
    if (errors.length > 0) lines.unshift('Errors outside of any test are above; a run with one fails.');
    if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}

function resultOf(module: TestModule): FileResult {
  const counts = { passed: 0, failed: module.errors().length, skipped: 0, pending: 0 };
  for (const test of module.children.allTests()) counts[test.result().state] += 1;
  const failedAsWhole = !module.ok() && counts.failed === 0 ? 1 : 0;
  return {
    file: relative(process.cwd(), module.moduleId),
    passed: counts.passed,
    failed: counts.failed + failedAsWhole,
    skipped: counts.skipped,
    seconds: Math.round(module.diagnostic().duration / 100) / 10,
  };
}

/** A command for each failure. Tests of an installation build on each other, so there the whole file is repeated. */
function repeating(modules: readonly TestModule[], seed: number): string[] {
  const lines = new Set<string>();
  for (const module of modules) {
    if (module.ok()) continue;
    const file = relative(process.cwd(), module.moduleId);
    const again = `TEST_SEED=${seed} ${commands[tierOf(file) ?? 'rules']} -- ${file}`;
    const failed = [...module.children.allTests('failed')];
    if (module.project.name === 'installation' || failed.length === 0) lines.add(again);
    else for (const test of failed) lines.add(`${again} -t ${quoted(test.fullName)}`);
  }
  return lines.size === 0 ? [] : ['What failed, alone:', ...[...lines].map((line) => `  ${line}`)];
}

/** As Vitest takes a name, a pattern, and as a shell takes a word. */
function quoted(name: string): string {
  const pattern = name.replaceAll(' > ', ' ').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return `'^${pattern.replaceAll("'", "'\\''")}$'`;
}
