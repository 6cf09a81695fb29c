import { useEffect } from 'react';
import { type Plane, personPlane } from '../control-plane/plane.ts';
import { sessionQuery } from '../control-plane/session.ts';
import { touchedBy, touchesSession } from './affected.ts';
import type { Hint } from './event-stream.ts';
import { followEvents } from './leader.ts';
import { refetch } from './refetch.ts';
import { silence } from './silence.ts';

/** Hints that arrive within this time share one round of refetches. */
const gatherMillis = 60;
/** A slow answer does not block the next round; the next hint refetches its query anyway. */
const roundMillis = 4_000;

interface Refresher {
  hint(hint: Hint): void;
  /** Refetches everything displayed, at once: requests in flight may hang on a dead connection. */
  all(): void;
  stop(): void;
}

/**
 * Refetches the queries that hints name, one round after the other. A hint does not cancel the running round, or a busy
 * organization would never see an answer.
 */
function refresher(plane: Plane): Refresher {
  const { trpc, queryClient } = plane;
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
      if (touchesSession(hints)) void personPlane.queryClient.invalidateQueries();
      await Promise.race([refetch(plane, touchedBy(trpc, hints)), pause(roundMillis)]);
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

/**
 * Keeps the displayed data of an organization current while the person is a member. A refusal is no silence: pages show
 * its reason, for example a missing second factor.
 */
export function useLive(plane: Plane, member: boolean): void {
  useEffect(() => {
    if (plane.organizationId === undefined || !member) return;
    let refused = false;
    const refresh = refresher(plane);
    const { position } = plane;
    // Without a position cached data may be stale since the organization was last open. First requests in flight are left alone.
    if (position === undefined) {
      void plane.queryClient.invalidateQueries({ predicate: ({ state }) => state.data !== undefined });
    }
    plane.position = undefined;
    const stop = followEvents(plane.organizationId, position, {
      change: (hint) => refresh.hint(hint),
      resync: () => refresh.all(),
      still: (still) => {
        refused &&= still;
        silence.streamStill(still && !refused);
      },
      refused: () => {
        refused = true;
        silence.streamStill(false);
        void personPlane.queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      },
    });
    return () => {
      stop();
      refresh.stop();
      silence.streamStill(false);
    };
  }, [plane, member]);
}
