import { useEffect, useState } from 'react';
import { type Plane, personPlane } from '../control-plane/plane.ts';
import { sessionQuery } from '../control-plane/session.ts';
import { followEvents } from './leader.ts';
import { refresher } from './refresher.ts';

/**
 * Keeps what is displayed of an organization true while one is a member, and says whether the control plane is heard. One that
 * refuses is heard: pages say why (a second factor is missing, say).
 */
export function useLive(plane: Plane, member: boolean): { connected: boolean } {
  const [state, setState] = useState<'heard' | 'away' | 'refused'>('heard');
  useEffect(() => {
    if (plane.organizationId === undefined || !member) return;
    setState('heard');
    const refresh = refresher(plane);
    // Nobody kept it true since it was shown last. What is being asked for the first time is left alone.
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
