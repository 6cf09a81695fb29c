import { setTimeout as pause } from 'node:timers/promises';

export interface Patience {
  /** How long to keep trying, in milliseconds. */
  millis: number;
  /** Called once, when it takes longer than a moment. */
  waiting(why: string): void;
  signal?: AbortSignal | undefined;
}

const moment = 1_000;
const longestWait = 4_000;

/**
 * An attempt that failed in a way that may pass: why, what helps if it does not, and after how many seconds it was asked
 * to come again.
 */
export class Passing extends Error {
  readonly help: string;
  readonly afterSeconds: number | undefined;

  constructor(why: string, help: string, afterSeconds?: number) {
    super(why);
    this.help = help;
    this.afterSeconds = afterSeconds;
  }
}

/** Attempts it until it succeeds, fails for good, or the time is up; then the last failure is thrown. */
export async function repeated<T>(patience: Patience, attempt: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  let said = false;
  for (let wait = 200; ; wait = Math.min(wait * 2, longestWait)) {
    try {
      return await attempt();
    } catch (error) {
      const asked = error instanceof Passing ? (error.afterSeconds ?? 0) * 1000 : 0;
      const next = Math.max(wait, Math.min(asked, longestWait));
      const passed = performance.now() - begun;
      if (!(error instanceof Passing) || passed + next > patience.millis) throw error;
      if (!said && passed + next > moment) {
        said = true;
        patience.waiting(error.message);
      }
      // Clients that lost the same control plane do not all come back in the same moment.
      await pause(next * (0.75 + Math.random() / 4), undefined, { signal: patience.signal });
    }
  }
}
