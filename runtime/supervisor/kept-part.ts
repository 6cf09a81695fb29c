import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { rotate, tail } from '../../machine/log-files.ts';
import type { Part } from './part.ts';
import { messageOf, Refusal } from './refusal.ts';
import { lastLines } from './run.ts';
import type { RunningProcesses } from './run-record.ts';

const shortestDelay = 250;
const longestDelay = 10_000;
const healthyAfter = 30_000;
const longestStart = 120_000;
const tellAfterFailures = 5;

export type PartEvent =
  | { kind: 'starting'; part: Part }
  | { kind: 'ready'; part: Part; milliseconds: number }
  /** It ended by itself, or could not be started; it is started again after a pause. */
  | { kind: 'died'; part: Part; reason: string; delay: number }
  /** It died so often before it was ever ready that a person should look. */
  | { kind: 'failing'; part: Part; sentence: string };

interface Keeping {
  part: Part;
  log: string;
  processes: RunningProcesses;
  report: (event: PartEvent) => void;
}

/** Starts a part, and starts it again whenever it ends, until it is told to stop. */
export class KeptPart {
  readonly part: Part;
  readonly #log: string;
  readonly #processes: RunningProcesses;
  readonly #report: (event: PartEvent) => void;
  readonly #firstReady = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  #child: { process: ChildProcess; ended: Promise<string> } | undefined;
  #loop: Promise<void> | undefined;
  #everReady = false;

  constructor({ part, log, processes, report }: Keeping) {
    this.part = part;
    this.#log = log;
    this.#processes = processes;
    this.#report = report;
    // Who waits for it hears of the failure; without this a stop before that would end the whole program.
    this.#firstReady.promise.catch(() => {});
  }

  /** Resolves when the part is ready for the first time; rejects when a refusal makes trying again senseless. */
  start(): Promise<void> {
    this.#loop ??= this.#keep();
    return this.#firstReady.promise;
  }

  async #keep(): Promise<void> {
    let delay = shortestDelay;
    for (let failures = 0; !this.#stopping.signal.aborted; ) {
      const since = Date.now();
      let reason: string;
      try {
        reason = await this.#runOnce();
      } catch (error) {
        if (error instanceof Refusal && !this.#everReady) return this.#firstReady.reject(error);
        reason = messageOf(error);
      }
      if (this.#stopping.signal.aborted) break;
      if (Date.now() - since > healthyAfter) delay = shortestDelay;
      this.#report({ kind: 'died', part: this.part, reason, delay });
      failures += 1;
      if (!this.#everReady && failures % tellAfterFailures === 0) this.#tellFailing(failures);
      await wait(delay, undefined, { signal: this.#stopping.signal }).catch(() => {});
      delay = Math.min(delay * 2, longestDelay);
    }
    this.#firstReady.reject(new Refusal(`${this.part.title} was stopped before it was ready.`));
  }

  #tellFailing(failures: number): void {
    const said = lastLines(tail(this.#log), 3) || 'it printed nothing';
    const sentence = `${this.part.title} ended ${failures} times before it was ready and is tried on; ${this.#log} ends with: ${said}`;
    this.#report({ kind: 'failing', part: this.part, sentence });
  }

  /** One life of the part; answers why it ended. */
  async #runOnce(): Promise<string> {
    const since = performance.now();
    this.#report({ kind: 'starting', part: this.part });
    await this.part.prepare();
    if (this.#stopping.signal.aborted) return 'it was stopped';
    const child = this.#spawn();
    let reason: string | undefined;
    const ended = child.ended.then((why) => {
      reason = why;
    });
    while (reason === undefined && !(await this.part.ready())) {
      if (performance.now() - since > longestStart) {
        kill(child.process, 'SIGKILL');
        await ended;
        return `it was not ready after ${longestStart / 1000} s`;
      }
      await Promise.race([ended, wait(40)]);
    }
    if (reason === undefined && !this.#stopping.signal.aborted) {
      this.#everReady = true;
      this.#report({ kind: 'ready', part: this.part, milliseconds: performance.now() - since });
      this.#firstReady.resolve();
    }
    return await child.ended;
  }

  #spawn(): { process: ChildProcess; ended: Promise<string> } {
    const { file, args, env, cwd, user } = this.part.command();
    rotate(this.#log);
    const output = openSync(this.#log, 'a', 0o600);
    // A session of its own, or Ctrl-C at the terminal would reach PostgreSQL before the API has finished.
    const child = spawn(file, [...args], { env, cwd, ...user, detached: true, stdio: ['ignore', output, output] });
    closeSync(output);
    if (child.pid !== undefined) this.#processes.started(this.part.name, child.pid, this.part.stopSignal);
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`it cannot be run: ${error.message}`));
      child.once('exit', (code, signal) =>
        resolve(signal ? `it was ended by ${signal}` : `it ended with code ${code}`),
      );
    }).then((reason) => {
      // What it started itself must not outlive it: the next one would find its ports and files taken.
      kill(child, 'SIGKILL');
      this.#child = undefined;
      this.#processes.ended(this.part.name);
      return reason;
    });
    this.#child = { process: child, ended };
    return this.#child;
  }

  /** Asks the part to end, urges it at `hurryAt` and kills it at `killAt` (both as of `Date.now()`). */
  async stop(hurryAt: number, killAt: number): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (child) {
      kill(child.process, this.part.stopSignal);
      const ended = child.ended.then(() => true);
      const signals = [
        { at: hurryAt, name: this.part.hurrySignal },
        { at: killAt, name: 'SIGKILL' },
      ] as const;
      for (const { at, name } of signals) {
        if (await Promise.race([ended, wait(Math.max(0, at - Date.now()), false, { ref: false })])) break;
        kill(child.process, name);
      }
      await child.ended;
    }
    await this.#loop;
  }

  /** Asks its process to end; another one takes its place. */
  restart(): void {
    if (this.#child) kill(this.#child.process, this.part.stopSignal);
  }

  /** Ends it now, for somebody who will not wait. */
  kill(): void {
    this.#stopping.abort();
    if (this.#child) kill(this.#child.process, this.part.name === 'postgres' ? this.part.hurrySignal : 'SIGKILL');
  }

  rotateLog(): void {
    rotate(this.#log);
  }
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone.
  }
}
