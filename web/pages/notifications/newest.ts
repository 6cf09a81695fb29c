import type { Plane } from '../../control-plane/plane.ts';

/** Asked once for the number beside the bell, wherever that is shown. */
export const newest = (trpc: Plane['trpc']) => trpc.notifications.list.queryOptions({ query: { limit: 1 } });
