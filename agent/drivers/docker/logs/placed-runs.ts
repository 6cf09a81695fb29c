import type { LogCursor, LogRun } from '../../../../protocol/logs.ts';
import type { Past } from '../runs.ts';
import { tickOf } from './log-lines.ts';

/**
 * Where the lines of each run stand among times. An engine writes last words down a moment after an end, and the first
 * ones a moment before it calls the start: the border is halfway between the two. The last run has no `to` yet.
 */
export function placedRuns(runs: readonly Past[], madeAt: string): LogRun[] {
  const first = runs.map(({ startedAt }, index) => {
    const before = runs[index - 1]?.exit;
    if (startedAt === undefined || index === 0) return 0;
    const start = tickOf(madeAt, startedAt);
    return before === undefined ? start : Math.round((start + tickOf(madeAt, before.at.toISOString())) / 2);
  });
  return runs.map(({ run, startedAt, exit }, index) => {
    const begun = {
      ...{ run, from: both(first[index] ?? 0) },
      ...(startedAt === undefined ? {} : { startedAt: Date.parse(startedAt) }),
    };
    if (exit === undefined) return begun;
    const { run: _, at, ...how } = exit;
    const next = first[index + 1];
    // An engine may take the time of a short run's start after that of its end.
    const ended = Math.max(at.getTime(), begun.startedAt ?? 0);
    return { ...begun, exit: { at: ended, ...how }, ...(next === undefined ? {} : { to: both(next) }) };
  });
}

function both(position: number): LogCursor {
  return { stdout: Math.max(0, position), stderr: Math.max(0, position) };
}

/** Tells runs once: those that began before their lines are read, the end of the last one afterwards. */
export class ToldRuns {
  readonly #told = new Map<number, string>();

  begun(runs: readonly LogRun[]): LogRun[] {
    return this.#news(runs.map(({ exit, ...run }) => (run.to === undefined ? run : { ...run, ...(exit && { exit }) })));
  }

  ended(runs: readonly LogRun[], read: LogCursor): LogRun[] {
    const last = runs.at(-1);
    if (last?.exit === undefined) return [];
    const to = {
      stdout: Math.max(last.from.stdout, read.stdout),
      stderr: Math.max(last.from.stderr, read.stderr),
    };
    return this.#news([{ ...last, to }]);
  }

  #news(runs: readonly LogRun[]): LogRun[] {
    return runs.filter(({ run, exit }) => {
      const state = exit === undefined ? 'begun' : 'ended';
      if (this.#told.get(run) === state || this.#told.get(run) === 'ended') return false;
      this.#told.set(run, state);
      return true;
    });
  }
}
