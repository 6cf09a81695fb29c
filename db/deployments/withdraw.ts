import { sql } from 'kysely';
import { placeOf } from '../../domain/deployments/arbiter-types.ts';
import { isDeploymentClaimed } from '../../domain/deployments/states.ts';
import { withdrawBuilds } from '../builds/cancel-build.ts';
import type { Effect } from '../engine/effect.ts';
import { resolveIncidents } from '../notification-channels/tell-channels.ts';
import { tenant } from '../postgres/tenant.ts';
import { removeSlice } from '../workloads/cluster-slices.ts';
import { admit, type ProjectRef } from './admission.ts';
import type { DeploymentRef } from './rollout.ts';

type WithdrawnService = ProjectRef & { environmentId: string; serviceId: string };

/**
 * Ends a service in an environment: deployments that wait and builds are cancelled, and its workload is no longer wanted. One that rolls is
 * asked to cancel, unless it may end by itself; the workload goes with its end (`withdrawnAt`), since the agent has to tell
 * that end first.
 */
export async function withdraw(effect: Effect, place: WithdrawnService, { wait = false } = {}): Promise<void> {
  const { organizationId, environmentId, serviceId } = place;
  const open = await tenant(effect.kysely, organizationId)
    .selectFrom('deployment')
    .select(['id', 'state'])
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where('finished_at', 'is', null)
    .execute();
  // Nothing of it will be live here again, which would resolve what a pager was told.
  await resolveIncidents(effect, organizationId, `deployments of ${serviceId} in ${environmentId}`);
  await withdrawBuilds(effect, place);
  const rolling = open.filter(({ state }) => isDeploymentClaimed(state));
  for (const one of open) {
    if (wait && rolling.includes(one)) continue;
    await admit(effect, place, { event: 'cancel', id: one.id, because: 'person' });
  }
  if (rolling.length === 0) await removeWorkload(effect, organizationId, placeOf(environmentId, serviceId));
}

/** Whether the service of a deployment that ends has left, or its environment was deleted: then its workload goes, and nothing is given back. */
export async function withdrawnAt(effect: Effect, { deploymentId, organizationId }: DeploymentRef): Promise<boolean> {
  const { rows } = await sql<{ place: string; gone: boolean }>`
    select concat(deployment.environment_id, '/', deployment.service_id) as place,
      service.deletion_id is not null or environment.deletion_id is not null or not exists (
        select from environment_service place where place.organization_id = deployment.organization_id
          and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id) as gone
    from deployment join service on service.organization_id = deployment.organization_id
      and service.id = deployment.service_id
    join environment on environment.organization_id = deployment.organization_id
      and environment.id = deployment.environment_id
    where deployment.id = ${deploymentId} and deployment.organization_id = ${organizationId}
  `.execute(effect.kysely);
  const [row] = rows;
  if (row?.gone !== true) return false;
  await removeWorkload(effect, organizationId, row.place);
  return true;
}

async function removeWorkload(effect: Effect, organizationId: string, place: string): Promise<void> {
  const slices = await tenant(effect.kysely, organizationId)
    .selectFrom('cluster_slice')
    .select(['cluster_id as id', 'key'])
    .where('key', '=', `env/${place}`)
    .where('removed_at', 'is', null)
    .orderBy('cluster_id')
    .execute();
  for (const { id, key } of slices) await removeSlice(effect, { id, organizationId }, key);
}
