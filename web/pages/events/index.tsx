import type { Affected } from '../../live/affected.ts';

export const affected: Affected<'cluster_event'> = {
  cluster_event: (trpc) => [trpc.clusters.events.pathKey(), trpc.clusters.organizationEvents.pathKey()],
};
