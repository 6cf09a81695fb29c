import { useEffect, useState } from 'react';
import { type Plane, personPlane } from '../control-plane/plane.ts';
import { sessionQuery } from '../control-plane/session.ts';
import { followEvents } from './leader.ts';
import { refresher } from './refresher.ts';

/**
 * Keeps the displayed data of an organization current while the person is a member, and tells whether the connection is
 * up. A refusal counts as connected: pages show its reason, for example a missing second factor.
 */
export function useLive(plane: Plane, member: boolean): { connected: boolean } {
  const [state, setState] = useState<'heard' | 'away' | 'refused'>('heard');
  useEffect(() => {
    if (plane.organizationId === undefined || !member) return;
    setState('heard');
    const refresh = refresher(plane);
    // Cached data may be stale since the organization was last open. First requests in flight are left alone.
    void plane.queryClient.invalidateQueries({ predicate: ({ state }) => state.data !== undefined });
    const stop = followEvents(plane.organizationId, {
      change: (hint) => refresh.hint(hint),
      resync: () => refresh.all(),
      connected: (connected) => setState((before) => (connected ? 'heard' : before === 'refused' ? before : 'away')),
      refused: () => {
        setState('refused');
        void personPlane.queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      },
    });
    return () => {
      stop();
      refresh.stop();
    };
  }, [plane, member]);
  return { connected: state !== 'away' };
}
