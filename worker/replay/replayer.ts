import { Worker } from '@temporalio/worker';
import { cutsOf, type Divergence, divergenceOf } from '../../domain/replay/divergence.ts';
import type { History } from '../../temporal/history/history-text.ts';
import type { ExportedRun } from './exported-runs.ts';
import { firstSealed, missingEvent } from './unreadable.ts';

/** How the replay of one run ended. */
export type RunVerdict =
  | { verdict: 'replays'; events: number }
  | { verdict: 'diverges'; events: number; divergence: Divergence }
  | { verdict: 'unreadable'; events: number; why: string };

/**
 * Runs histories against a bundle of workflows: no server, no database and no key is needed. One worker replays all of
 * them, one after the other, since the SDK ends with its last worker.
 */
export class Replayer {
  readonly #waiting: History[] = [];
  #wake: () => void = () => {};
  #closed = false;
  readonly #results: ReturnType<typeof Worker.runReplayHistories>;

  constructor(bundle: { code: string }) {
    this.#results = Worker.runReplayHistories({ workflowBundle: bundle }, this.#histories());
  }

  async replay({ history, events }: ExportedRun): Promise<RunVerdict> {
    const missing = missingEvent(events);
    if (missing !== undefined) {
      const why = `event ${missing} is missing, and a history with a gap does not replay`;
      return { verdict: 'unreadable', events: events.length, why };
    }
    const sealed = firstSealed(history);
    const cuts = cutsOf(events);
    const last = sealed === undefined ? events.length : (cuts.filter((cut) => cut < sealed).at(-1) ?? 0);
    const mismatch = last === 0 ? undefined : await this.#run(history, last);
    if (mismatch !== undefined) {
      const { cut, by } = await this.#firstCut(history, { cuts: cuts.filter((one) => one < last), last, by: mismatch });
      const divergence = divergenceOf(events.slice(0, last), cut, by);
      if (divergence !== undefined) return { verdict: 'diverges', events: events.length, divergence };
    }
    if (sealed === undefined) return { verdict: 'replays', events: events.length };
    const why = `event ${sealed} holds what is not shown (fields whose names speak of secrets, or whose key is missing), and the code needs it`;
    return { verdict: 'unreadable', events: events.length, why };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    while (!(await this.#results.next()).done);
  }

  /** The shortest part that diverges, by halves. */
  async #firstCut(
    history: History,
    { cuts, last, by }: { cuts: readonly number[]; last: number; by: string },
  ): Promise<{ cut: number | undefined; by: string }> {
    let [low, high] = [0, cuts.length];
    let found = { cut: last === history.events?.length ? undefined : last, by };
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const cut = cuts[middle] ?? 0;
      const mismatch = await this.#run(history, cut);
      if (mismatch === undefined) low = middle + 1;
      else {
        found = { cut, by: mismatch };
        high = middle;
      }
    }
    return found;
  }

  async #run(history: History, length: number): Promise<string | undefined> {
    this.#waiting.push({ ...history, events: (history.events ?? []).slice(0, length) });
    this.#wake();
    const { value, done } = await this.#results.next();
    if (done) throw new Error('The replay ended before its time.');
    return value.error?.message;
  }

  async *#histories(): AsyncGenerator<{ workflowId: string; history: History }, void, undefined> {
    while (!this.#closed) {
      const history = this.#waiting.shift();
      if (history !== undefined) yield { workflowId: 'replayed', history };
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
