import { sql } from 'kysely';
import type { Effect } from '../../engine/effect.ts';
import { raiseDesired } from '../../workloads/cluster-slices.ts';
import type { DeploymentRef } from '../rollout.ts';

/** Whether the desired state of its cluster has this deployment run a release command. */
export async function wantsReleaseCommand(
  { kysely }: Effect,
  { deploymentId, organizationId }: DeploymentRef,
): Promise<boolean> {
  const { rows } = await sql`
    select from deployment join cluster_slice slice on ${slice}
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId} and ${wanted}
  `.execute(kysely);
  return rows.length > 0;
}

/** It has run: a machine that takes the place of this one must not run it again. */
export async function forgetReleaseCommand(effect: Effect, { deploymentId, organizationId }: DeploymentRef) {
  const { rows } = await sql<{ clusterId: string; key: string }>`
    select slice.cluster_id as "clusterId", slice.key from deployment join cluster_slice slice on ${slice}
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId} and ${wanted}
  `.execute(effect.kysely);
  const [found] = rows;
  if (found === undefined) return;
  await raiseDesired(effect, { id: found.clusterId, organizationId }, async (revision) => {
    await effect.kysely
      .updateTable('cluster_slice')
      .set({ revision, workload: sql`workload #- '{rollout,releaseCommand}'` })
      .where('cluster_id', '=', found.clusterId)
      .where('key', '=', found.key)
      .execute();
  });
}

const slice = sql`slice.cluster_id = deployment.cluster_id
  and slice.key = concat('env/', deployment.environment_id, '/', deployment.service_id)`;
const wanted = sql`slice.removed_at is null and slice.workload #>> '{rollout,id}' = deployment.id::text
  and slice.workload #> '{rollout,releaseCommand}' is not null`;
