import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '../ground/bare-environment.ts';

/** A command of `./ballast` as it is typed, and where. */
export interface Order {
  words: readonly string[];
  /** All of it. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  input: string;
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** `last`: the host ends with this command. */
export interface Told {
  ended: Ended;
  last: boolean;
}

/** The lines of JSON that a command wrote for programs as it went, in order (docs/cli.md). */
export function eventsOf({ err }: Pick<Ended, 'err'>): Record<string, unknown>[] {
  return err.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}

const program = fileURLToPath(new URL('command-host-program.ts', import.meta.url));

/**
 * Runs commands one after another in one process beside the test, which starts once: each gets its own words, environment,
 * directory and standard input, and is `cli/main.ts` as it is. Not for commands that a signal ends, that run beside another one
 * or at a terminal: these take processes of their own.
 */
export class CommandHost {
  readonly #directory = mkdtempSync(join(tmpdir(), 'ballast-commands-'));
  #child: ChildProcess | undefined;
  #gone: Promise<unknown> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();

  run(order: Order): Promise<Ended> {
    const ended = this.#last.then(() => this.#runNow(order));
    this.#last = ended.catch(() => undefined);
    return ended;
  }

  async close(): Promise<void> {
    if (this.#child?.connected === true) {
      // By itself, so that it keeps its compiled code for the next one.
      this.#child.disconnect();
      await this.#gone;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #runNow(order: Order): Promise<Ended> {
    const child = this.#host();
    const early = this.#gone.then(() => {
      throw new Error(`The host of commands ended during ${order.words.join(' ')}.`);
    });
    const answered = once(child, 'message');
    child.send(order);
    const [{ ended, last }] = (await Promise.race([answered, early])) as [Told];
    if (last) await this.#gone;
    return ended;
  }

  #host(): ChildProcess {
    if (this.#child?.connected === true) return this.#child;
    this.#child = fork(program, [join(this.#directory, 'input')], {
      env: bareEnvironment,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#gone = once(this.#child, 'exit');
    return this.#child;
  }
}
