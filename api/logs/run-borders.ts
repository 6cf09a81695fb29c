import { type LogCursor, type LogRun, type LogStream, logStreams } from '../../protocol/logs.ts';

interface Border {
  at: LogCursor;
  run: LogRun;
}

/** Puts the begins and ends of runs between the lines of a log: an agent tells them in any order with those lines. */
export class RunBorders {
  readonly #begun = new Set<number>();
  readonly #ended = new Set<number>();
  #ahead: Border[] = [];
  /** The run that the last border began. */
  current: number | undefined;

  take(runs: readonly LogRun[]): void {
    for (const told of runs) {
      const { exit, to, ...run } = told;
      if (!this.#begun.has(run.run)) this.#ahead.push({ at: run.from, run });
      this.#begun.add(run.run);
      if (exit === undefined || to === undefined || this.#ended.has(run.run)) continue;
      this.#ahead.push({ at: to, run: told });
      this.#ended.add(run.run);
    }
    this.#ahead.sort((one, other) => one.run.run - other.run.run || phase(one) - phase(other));
  }

  /** Borders in front of a line. */
  before(stream: LogStream, position: number): LogRun[] {
    return this.#upTo(({ at }) => at[stream] <= position);
  }

  /** Borders in front of everything that is still to be read. */
  passed(cursor: LogCursor): LogRun[] {
    return this.#upTo(({ at }) => logStreams.every((stream) => at[stream] <= cursor[stream]));
  }

  #upTo(isPassed: (border: Border) => boolean): LogRun[] {
    const count = this.#ahead.findLastIndex(isPassed) + 1;
    const passed = this.#ahead.splice(0, count).map(({ run }) => run);
    this.current = passed.findLast(({ exit }) => exit === undefined)?.run ?? this.current;
    return passed;
  }
}

function phase({ run }: Border): number {
  return run.exit === undefined ? 0 : 1;
}
