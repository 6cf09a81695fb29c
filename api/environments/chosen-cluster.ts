import type { Kysely } from 'kysely';
import type { Tables } from '../../db/postgres/tables.ts';
import { theCluster } from '../clusters/cluster.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidFields } from '../engine/input/input.ts';

/** The cluster that a request chooses for an environment: one that stays. */
export async function chosenCluster(caller: OrganizationCaller, clusterId: string, kysely: Kysely<Tables>) {
  const cluster = await caller.see(theCluster, clusterId, kysely);
  if (cluster.state !== 'deleting') return cluster;
  const message = `"${cluster.name}" is being deleted; choose another cluster`;
  throw invalidFields([{ location: 'body.clusterId', message, value: clusterId }]);
}
