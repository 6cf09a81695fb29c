import type { Logger } from 'pino';

export interface Repeated {
  /** Runs it as soon as it is free, without waiting for the interval. */
  now(): void;
  /** Resolves when the last run is over. */
  stop(): Promise<void>;
}

export interface Repetition {
  what: string;
  milliseconds: number;
  /** Up to this share of the interval is added at random, so that several workers do not march in step. */
  jitter?: number;
  log: Logger;
  /** May answer in how many milliseconds it wants to run again, instead of the interval. */
  task: (signal: AbortSignal) => Promise<number | undefined> | Promise<void>;
}

/**
 * Runs a task over and over, never twice at once. A failure is logged when it begins and when it is over, not every
 * time in between: a database that is away for an hour is one event.
 */
export function repeat({ what, milliseconds, jitter = 0, log, task }: Repetition): Repeated {
  const stopping = new AbortController();
  let wake = (): void => undefined;
  let wanted = false;
  let failing = false;

  async function once(): Promise<number> {
    try {
      const next = await task(stopping.signal);
      if (failing) log.info(`${what}: works again`);
      failing = false;
      return next ?? milliseconds;
    } catch (error) {
      if (stopping.signal.aborted) return milliseconds;
      if (!failing) log.warn({ err: error }, `${what}: failed, will be tried again`);
      failing = true;
      return milliseconds;
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      wanted = false;
      const pause = await once();
      if (stopping.signal.aborted || wanted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause * (1 + jitter * Math.random()));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  const running = loop();
  const now = (): void => {
    wanted = true;
    wake();
  };
  return {
    now,
    async stop() {
      stopping.abort();
      now();
      await running;
    },
  };
}
