import type { Database } from '../db/postgres/database.ts';
import type { Secrets } from '../db/workloads/sealed-workload.ts';
import { createActorActivities } from './actor.ts';
import { createAgentUpdateActivities } from './agent-update.ts';
import { createClusterActivities } from './cluster.ts';
import { createDeletionActivities } from './deletion.ts';
import { type ArchiveRun, createHistoryActivities } from './history.ts';

/** Everything that actors can do, under the names by which they call it. */
export function createActivities(parts: { database: Database; keyring: Secrets; archive: ArchiveRun }) {
  return {
    ...createActorActivities(parts),
    ...createDeletionActivities(parts),
    ...createClusterActivities(parts),
    ...createAgentUpdateActivities(parts),
    ...createHistoryActivities(parts),
  };
}
