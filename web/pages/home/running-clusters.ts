import type { Plane } from '../../control-plane/plane.ts';

/** The clusters with what runs on them, as Home shows them. */
export const runningClusters = (trpc: Plane['trpc']) =>
  trpc.clusters.list.queryOptions({ query: { summary: true, limit: 100 } });
