import { type Affected, all } from '../../live/affected.ts';

export const affected: Affected<'agent_update'> = {
  agent_update: (trpc) => [all(trpc.clusters)],
};
