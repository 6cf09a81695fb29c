import { Problem } from '../../../domain/problems.ts';

/** Those of one operation that wait; to wait longer in a longer queue helps nobody. */
const longestQueue = 200;

/**
 * How many requests of one operation may be at work at once: each holds a connection to the database, and where one
 * operation waits for a lock, the others must find a connection all the same.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #busy = new Map<string, { running: number; waiting: Set<() => void> }>();

  constructor(connections: number) {
    this.#atOnce = Math.max(1, Math.floor(connections / 3));
  }

  async take<T>(operation: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turns = this.#busy.get(operation) ?? { running: 0, waiting: new Set<() => void>() };
    this.#busy.set(operation, turns);
    if (turns.running >= this.#atOnce) await wait(turns.waiting, signal);
    else turns.running += 1;
    try {
      return await work();
    } finally {
      const [next] = turns.waiting;
      // The turn is handed over, so that nobody gets in between.
      if (next !== undefined) next();
      else {
        turns.running -= 1;
        if (turns.running === 0) this.#busy.delete(operation);
      }
    }
  }
}

function wait(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  if (waiting.size >= longestQueue) {
    throw new Problem('unavailable', 'Too many requests for the same thing wait already; try again in a moment.', {
      retryAfterSeconds: 1,
    });
  }
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(turn);
      signal.removeEventListener('abort', aborted);
    };
    const turn = () => {
      leave();
      resolve();
    };
    const aborted = () => {
      leave();
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    waiting.add(turn);
  });
}
