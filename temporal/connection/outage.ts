import type { Logger } from 'pino';
import type { Temporal } from './connect.ts';

/** Tells an outage of Temporal from the fault of one delivery, and keeps everybody from trying while it lasts. */
export interface Outage {
  readonly away: boolean;
  /** Whether there is an outage; while there is one, asks Temporal again from time to time. */
  lasts(): Promise<boolean>;
  /** After a failure: whether an outage is what it was. */
  explains(error: unknown): Promise<boolean>;
}

const shortestPause = 250;
const longestPause = 5_000;

export function watchOutage(temporal: Pick<Temporal, 'reachable'>, log: Logger): Outage {
  let away = false;
  let askAt = 0;
  let pause = shortestPause;
  let asking: Promise<boolean> | undefined;

  /** However many want to know, Temporal is asked once. */
  function ask(error?: unknown): Promise<boolean> {
    asking ??= temporal.reachable().then((reachable) => {
      asking = undefined;
      note(!reachable, error);
      return away;
    });
    return asking;
  }

  function note(isAway: boolean, error: unknown): void {
    if (isAway && !away) log.warn({ err: error }, 'Temporal is away; deliveries wait');
    if (!isAway && away) log.info('Temporal is back; deliveries go on');
    pause = isAway && away ? Math.min(pause * 2, longestPause) : shortestPause;
    away = isAway;
    askAt = Date.now() + pause;
  }

  return {
    get away() {
      return away;
    },
    lasts: async () => away && (Date.now() < askAt || (await ask())),
    explains: ask,
  };
}
