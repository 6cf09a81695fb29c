import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { lastLines } from '../../runtime/supervisor/run.ts';

/** The answer of each task. */
export interface Answers {
  tables: { applied: string[] };
  namespace: { id: string };
  'first-owner-link': { link: string | undefined };
}
export type Task = keyof Answers;

/** A line of the child's standard input. */
export interface Order {
  task: Task;
  env: Readonly<Record<string, string>>;
}

export type Line = { task: Task } & (
  | { progress: string }
  | { answer: Answers[Task] }
  | { failed: { sentence: string; foreseen: boolean } }
);

/** Where the child writes its answers: what a package prints to standard output is none. */
export const answersFd = 3;
const main = fileURLToPath(new URL('prepare-main.ts', import.meta.url));
const mostStarts = 3;

interface PendingTask {
  task: Task;
  child: ChildProcess;
  onProgress: (text: string) => void;
  done: PromiseWithResolvers<Answers[Task]>;
}

/**
 * Prepares PostgreSQL and Temporal in a process that ends when it is done. What that takes (the ORM, the client of Temporal)
 * would stay in the memory of the supervisor for as long as the installation runs.
 */
export class Preparation {
  readonly #env: () => Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;
  readonly #asked = new Set<PendingTask>();
  #child: ChildProcess | undefined;

  /** `env`: what leads to the parts, as they get it themselves; asked for with each task. */
  constructor(env: () => Readonly<Record<string, string>>, signal: AbortSignal) {
    this.#env = env;
    this.#signal = signal;
    // At once: PostgreSQL rolls back what was not finished, and is about to be stopped itself.
    signal.addEventListener('abort', () => this.#child?.kill('SIGKILL'), { once: true });
  }

  async ask<Name extends Task>(task: Name, onProgress: (text: string) => void = () => {}): Promise<Answers[Name]> {
    for (let starts = 1; ; starts += 1) {
      this.#signal.throwIfAborted();
      try {
        return (await this.#askOnce(task, onProgress)) as Answers[Name];
      } catch (error) {
        // Each task may be done twice; a child that was killed is no reason to give up.
        if (!(error instanceof ChildEnded) || starts === mostStarts || this.#signal.aborted) throw error;
      }
    }
  }

  /** When nothing is asked any more. */
  end(): void {
    this.#child?.stdin?.end();
    this.#child = undefined;
  }

  #askOnce(task: Task, onProgress: (text: string) => void): Promise<Answers[Task]> {
    const order: Order = { task, env: this.#env() };
    this.#child ??= this.#start();
    const one: PendingTask = { task, child: this.#child, onProgress, done: Promise.withResolvers() };
    this.#asked.add(one);
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    return one.done.promise.finally(() => this.#asked.delete(one));
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-8192);
    });
    child.stdin?.on('error', () => {});
    createInterface({ input: child.stdio[answersFd] as Readable }).on('line', (text) => {
      const line: Line = JSON.parse(text);
      for (const one of this.#asked) if (one.child === child && one.task === line.task) hear(one, line);
    });
    const ended = (reason: string): void => {
      if (this.#child === child) this.#child = undefined;
      for (const { child: of, done } of this.#asked) if (of === child) done.reject(new ChildEnded(reason));
    };
    child.once('error', (error) => ended(error.message));
    // Not `exit`: its last words may still be on their way.
    child.once('close', (code, signal) => ended(lastLines(said, 3) || (signal ?? `code ${code}`)));
    return child;
  }
}

class ChildEnded extends Refusal {
  constructor(reason: string) {
    super(`What prepares the database ended too early (${reason}); start again, and report this if it stays so.`);
  }
}

function hear({ onProgress, done }: PendingTask, line: Line): void {
  if ('progress' in line) onProgress(line.progress);
  else if ('answer' in line) done.resolve(line.answer);
  else done.reject(line.failed.foreseen ? new Refusal(line.failed.sentence) : new Error(line.failed.sentence));
}
