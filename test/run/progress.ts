import { writeSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node';
import { patient } from './patience.ts';

/** Longer than any one test or hook takes, those of `npm run test:all` included. */
const longestSilence = 1_800_000;

/**
 * Says at times how far a run is and what runs, so that a log which ends early names what it waited for, and ends a run in
 * which nothing ends any more: time limits of Vitest do not reach a file that keeps its process busy or is still being loaded.
 */
export class Progress implements Reporter {
  readonly #every: number;
  readonly #patience: number;
  readonly #running = new Map<string, { name: string; since: number; test?: string }>();
  /** Vitest may tell of a test after it has told of the end of its file. */
  readonly #ended = new Set<string>();
  #files = 0;
  #begun = 0;
  #last = 0;
  #timer?: NodeJS.Timeout;

  constructor({ every = 60_000, patience = patient(longestSilence) } = {}) {
    this.#every = every;
    this.#patience = patience;
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#files = files.length;
    this.#begun = performance.now();
    this.#timer = setInterval(() => this.#look(), this.#every);
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  onTestModuleQueued(module: TestModule): void {
    this.#at(module);
  }

  onTestCaseReady(test: TestCase): void {
    this.#at(test.module, test.fullName);
  }

  onTestCaseResult({ module }: TestCase): void {
    this.#at(module);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.id);
    this.#ended.add(module.id);
    this.#last = performance.now();
  }

  #at(module: TestModule, test?: string): void {
    this.#last = performance.now();
    if (this.#ended.has(module.id)) return;
    const name = relative(process.cwd(), module.moduleId);
    this.#running.set(module.id, { name, since: this.#last, ...(test !== undefined && { test }) });
  }

  #look(): void {
    const now = performance.now();
    const silent = now - this.#last;
    const lines = [...this.#running.values()].map(
      ({ name, since, test }) => `  ${name}${test === undefined ? '' : ` > ${test}`}, for ${seconds(now - since)}`,
    );
    const far = `${this.#ended.size} of ${this.#files} files after ${seconds(now - this.#begun)}; ${lines.length === 0 ? 'preparing' : 'running:'}`;
    say([far, ...lines]);
    // The preparation before the first file has limits of its own.
    if (this.#running.size === 0 || silent < this.#patience) return;
    say([`No test has ended or begun for ${seconds(silent)}: the run hangs in one of these, and is ended.`]);
    process.exit(1);
  }
}

function seconds(millis: number): string {
  return `${Math.round(millis / 1000)} s`;
}

/** Nothing is buffered, since the process may end with it. */
function say(lines: readonly string[]): void {
  writeSync(2, `${lines.join('\n')}\n`);
}
