import { useEffect, useState } from 'react';
import { type Plane, personPlane } from '../control-plane/plane.ts';
import { sessionQuery } from '../control-plane/session.ts';
import { followEvents } from './leader.ts';
import { refresher } from './refresher.ts';

/** Keeps what is displayed of an organization true while one is a member, and says whether the control plane is heard. */
export function useLive(plane: Plane, member: boolean): { connected: boolean } {
  const [connected, setConnected] = useState(true);
  useEffect(() => {
    if (plane.organizationId === undefined || !member) return;
    setConnected(true);
    const refresh = refresher(plane);
    const stop = followEvents(plane.organizationId, {
      change: (hint) => refresh.hint(hint),
      resync: () => refresh.all(),
      connected: setConnected,
      refused: () => void personPlane.queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    });
    return () => {
      stop();
      refresh.stop();
    };
  }, [plane, member]);
  return { connected };
}
