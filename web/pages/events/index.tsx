import { type Affected, grown } from '../../live/affected.ts';

export const affected: Affected<'cluster_event'> = {
  cluster_event: (trpc) => [grown(trpc.clusters.events), grown(trpc.clusters.organizationEvents)],
};
