import { useEffect } from 'react';
import { type Plane, personPlane } from '../control-plane/plane.ts';
import { sessionQuery } from '../control-plane/session.ts';
import { followEvents } from './leader.ts';
import { refresher } from './refresher.ts';
import { silence } from './silence.ts';

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
