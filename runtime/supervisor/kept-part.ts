import { setTimeout as wait } from 'node:timers/promises';
import { backOff } from '../../domain/back-off.ts';
import { rotate, tail } from '../../machine/log-files.ts';
import type { Part } from './part.ts';
import { messageOf, Refusal } from './refusal.ts';
import { lastLines } from './run.ts';
import type { RunningProcesses } from './run-record.ts';
import { type Started, signalGroup, startPart } from './start-part.ts';

const longestStart = 120_000;
const tellAfterFailures = 5;

export type PartEvent =
  | { kind: 'starting'; part: Part }
  | { kind: 'ready'; part: Part; milliseconds: number }
  /** The part ended by itself, or could not be started; it is started again after a pause. */
  | { kind: 'died'; part: Part; reason: string; delay: number }
  /** The part ended so often before it was ever ready that a person should look. */
  | { kind: 'failing'; part: Part; sentence: string };

interface Keeping {
  part: Part;
  log: string;
  processes: RunningProcesses;
  report: (event: PartEvent) => void;
}

/** Starts a part, and starts it again whenever it ends, until it is told to stop. */
export class KeptPart {
  readonly #keeping: Keeping;
  readonly #firstReady = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  readonly #pace = new Pace();
  #child: Started | undefined;
  #loop: Promise<void> | undefined;
  #everReady = false;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
    // Waiters receive the rejection themselves; without this handler an earlier stop would end the whole program.
    this.#firstReady.promise.catch(() => {});
  }

  /** Resolves when the part is ready for the first time; rejects when a refusal makes trying again senseless. */
  start(): Promise<void> {
    this.#loop ??= this.#keep();
    return this.#firstReady.promise;
  }

  async #keep(): Promise<void> {
    for (let failures = 0; !this.#stopping.signal.aborted; ) {
      let life: { reason: string; ready: boolean };
      try {
        life = await this.#runOnce();
      } catch (error) {
        if (error instanceof Refusal && !this.#everReady) return this.#firstReady.reject(error);
        life = { reason: messageOf(error), ready: false };
      }
      if (this.#stopping.signal.aborted) break;
      const delay = this.#pace.afterEnd(life.ready);
      this.#keeping.report({ kind: 'died', part: this.#keeping.part, reason: life.reason, delay });
      failures += 1;
      if (!this.#everReady && failures % tellAfterFailures === 0) this.#tellFailing(failures);
      await wait(delay, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
    this.#firstReady.reject(new Refusal(`${this.#keeping.part.title} was stopped before it was ready.`));
  }

  #tellFailing(failures: number): void {
    const said = lastLines(tail(this.#keeping.log), 3) || 'it printed nothing';
    const sentence = `${this.#keeping.part.title} ended ${failures} times before it was ready and is being retried; ${this.#keeping.log} ends with: ${said}`;
    this.#keeping.report({ kind: 'failing', part: this.#keeping.part, sentence });
  }

  /** One life of the part; answers why it ended, and whether it had been ready. */
  async #runOnce(): Promise<{ reason: string; ready: boolean }> {
    const since = performance.now();
    this.#keeping.report({ kind: 'starting', part: this.#keeping.part });
    await this.#keeping.part.prepare();
    if (this.#stopping.signal.aborted) return { reason: 'it was stopped', ready: false };
    this.rotateLog();
    const child = startPart(this.#keeping.part, this.#keeping.log, this.#keeping.processes);
    this.#child = child;
    child.ended.then(() => {
      this.#child = undefined;
    });
    if (!child.recorded) return { reason: await child.ended, ready: false };
    const first = await this.#becomesReady(child);
    if (first === 'late') {
      signalGroup(child.process, 'SIGKILL');
      await child.ended;
      return { reason: `it was not ready after ${longestStart / 1000} s`, ready: false };
    }
    const ready = first === 'ready' && !this.#stopping.signal.aborted;
    if (ready) {
      this.#everReady = true;
      this.#keeping.report({ kind: 'ready', part: this.#keeping.part, milliseconds: performance.now() - since });
      this.#firstReady.resolve();
    }
    return { reason: await child.ended, ready };
  }

  async #becomesReady({ ended, told }: Started): Promise<'ready' | 'ended' | 'late'> {
    const over = new AbortController();
    const late = wait(longestStart, 'late' as const, { signal: over.signal, ref: false });
    late.catch(() => {});
    try {
      return await Promise.race([ended.then(() => 'ended' as const), told ?? this.#asked(over.signal), late]);
    } finally {
      over.abort();
    }
  }

  async #asked(signal: AbortSignal): Promise<'ready'> {
    const { ready } = this.#keeping.part;
    while (ready !== 'told' && !signal.aborted && !(await ready().catch(() => false))) await wait(40);
    return 'ready';
  }

  /** Asks the part to end, urges it at `hurryAt` and kills it at `killAt` (both as of `Date.now()`). */
  async stop(hurryAt: number, killAt: number): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (child) {
      signalGroup(child.process, this.#keeping.part.stopSignal);
      const ended = child.ended.then(() => true);
      const signals = [
        { at: hurryAt, name: this.#keeping.part.hurrySignal },
        { at: killAt, name: 'SIGKILL' },
      ] as const;
      for (const { at, name } of signals) {
        if (await Promise.race([ended, wait(Math.max(0, at - Date.now()), false, { ref: false })])) break;
        signalGroup(child.process, name);
      }
      await child.ended;
    }
    await this.#loop;
  }

  /** Asks its process to end; another one takes its place. */
  restart(): void {
    if (this.#child) signalGroup(this.#child.process, this.#keeping.part.stopSignal);
  }

  /** Ends it now, for somebody who will not wait. */
  kill(): void {
    this.#stopping.abort();
    const signal = this.#keeping.part.name === 'postgres' ? this.#keeping.part.hurrySignal : 'SIGKILL';
    if (this.#child) signalGroup(this.#child.process, signal);
  }

  /** A log that cannot be rotated, because the disk is full, keeps growing until it can. */
  rotateLog(): void {
    try {
      rotate(this.#keeping.log);
    } catch {
      // Tried again soon.
    }
  }
}

const pauses = { first: 250, longest: 10_000 };
const remembered = 60_000;
const atOnce = 6;

/**
 * How long to wait before a part is started again. One that had been ready is missed, so it comes back at once; one that ends
 * again and again, ready or not, comes back more and more slowly, so that it leaves the machine to the others.
 */
export class Pace {
  readonly #now: () => number;
  #ends: number[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds to wait, after it has ended now. */
  afterEnd(hadBeenReady: boolean): number {
    const now = this.#now();
    this.#ends = [...this.#ends.filter((at) => now - at < remembered), now];
    const free = hadBeenReady ? atOnce : 0;
    const counted = this.#ends.length - free;
    return counted <= 0 ? 0 : backOff(counted, pauses);
  }
}
