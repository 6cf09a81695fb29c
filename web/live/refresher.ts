import { type Plane, personPlane } from '../control-plane/plane.ts';
import { affectedKeys, touchesSession } from './affected.ts';
import type { Hint } from './event-stream.ts';

/** Hints that arrive together are answered together. */
const gatherMillis = 60;
/** An answer that takes longer holds nothing up: what it was asked for is asked for again by the next hint. */
const roundMillis = 4_000;

export interface Refresher {
  hint(hint: Hint): void;
  /** Everything that is displayed, at once: what is on its way may have been asked for over a connection that is dead. */
  all(): void;
  stop(): void;
}

/**
 * Asks again for what hints name, one round after the other: a round that is on its way is not cancelled by the next hint, or a
 * busy organization would never see an answer.
 */
export function refresher({ trpc, queryClient }: Plane): Refresher {
  let waiting: Hint[] = [];
  let running = false;
  let stopped = false;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    while (waiting.length > 0 && !stopped) {
      await pause(gatherMillis);
      const hints = waiting;
      waiting = [];
      const keys = affectedKeys(trpc, hints);
      if (touchesSession(hints)) void personPlane.queryClient.invalidateQueries();
      const round = Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      await Promise.race([round, pause(roundMillis)]);
    }
    running = false;
  }
  return {
    hint: (hint) => {
      waiting.push(hint);
      void run();
    },
    all: () => {
      if (stopped) return;
      waiting = [];
      void queryClient.invalidateQueries();
      void personPlane.queryClient.invalidateQueries();
    },
    stop: () => {
      stopped = true;
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
