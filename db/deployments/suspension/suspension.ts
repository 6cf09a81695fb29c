import { sql } from 'kysely';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { recordService } from '../../services/services.ts';
import { lockAdmission } from '../admission.ts';
import { type DeploymentRef, rolloutKey } from '../rollout.ts';
import { endOpen } from './end-open.ts';
import { type EndOpen, type OpenThere, openThere, refuseOpen } from './open-there.ts';
import { restWorkload } from './rest-workload.ts';
import type { SuspensionPlace } from './suspension-place.ts';

export interface SuspensionView {
  suspended: boolean;
  since: Date | null;
  by: string | null;
  liveReleaseId: string | null;
  /** The deployments that are under way or wait there, the one that rolls first. */
  open: OpenThere[];
}

/** How it stands, under the lock that all deployments of the project take. */
export async function lockSuspension(effect: Effect, place: SuspensionPlace): Promise<SuspensionView> {
  const { organizationId, environmentId, serviceId } = place;
  await lockAdmission(effect, place);
  const own = tenant(effect.kysely, organizationId);
  const row = await own
    .selectFrom('environment_service')
    .select(['suspended', 'suspended_at as since', 'suspended_by as by', 'live_release_id as liveReleaseId'])
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  const open = await openThere(effect, place);
  if (row === undefined) {
    const { service, environment } = place;
    // The first changes of it may wait for an approval.
    refuseOpen(place, open, undefined);
    throw new Problem('conflict', `"${service}" was never deployed in "${environment}": nothing of it runs there.`);
  }
  return { ...row, open };
}

/**
 * Stops a service in an environment: no instances, no schedules. Volumes, addresses, settings and the live release stay. What
 * somebody else has asked for is never dropped by it, unless `ending` says what becomes of deployments there: while one of them
 * rolls, its end stops the service, whatever it is. False: it is suspended already, and nothing is open.
 */
export async function suspend(effect: Effect, place: SuspensionPlace, ending?: EndOpen): Promise<boolean> {
  const { organizationId, projectId, environmentId, serviceId, service, environment } = place;
  const { suspended, open } = await lockSuspension(effect, place);
  refuseOpen(place, open, ending);
  if (suspended && open.length === 0) return false;
  const over = open.length === 0 || (await endOpen(effect, place, open, ending ?? 'wait'));
  if (!suspended) {
    await write(effect, place, {
      suspended: true,
      suspended_at: sql<Date>`clock_timestamp()`,
      suspended_by: effect.author.name,
    });
  }
  if (over) await restWorkload(effect, organizationId, rolloutKey(environmentId, serviceId));
  const details = { environment, ...(open.length === 0 || ending === undefined ? {} : { deployments: ending }) };
  recordService(effect, 'service.suspended', { id: serviceId, organizationId, projectId, name: service }, details);
  effect.change({ organizationId, projectId, kind: 'environment', id: environmentId });
  return true;
}

/** The end of a deployment at a place that was suspended while it rolled: nothing of the release that went live runs on. */
export async function restSuspended(effect: Effect, { deploymentId, organizationId }: DeploymentRef): Promise<void> {
  const { rows } = await sql<{ environmentId: string; serviceId: string }>`
    select place.environment_id as "environmentId", place.service_id as "serviceId" from deployment
    join environment_service place on place.organization_id = deployment.organization_id
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId} and place.suspended
  `.execute(effect.kysely);
  for (const { environmentId, serviceId } of rows) {
    await restWorkload(effect, organizationId, rolloutKey(environmentId, serviceId));
  }
}

/** Ends the suspension of a service of which nothing was ever live: there is nothing to start. */
export async function endSuspension(effect: Effect, place: SuspensionPlace): Promise<void> {
  await write(effect, place, { suspended: false, suspended_at: null, suspended_by: null });
}

/**
 * A resumption that failed on its cluster ends the suspension, too: somebody wants the service to run, and has to be able to
 * deploy what mends it. One that was cancelled, or asked to, does not.
 */
export async function endSuspensionBy(effect: Effect, { deploymentId, organizationId }: DeploymentRef): Promise<void> {
  await sql`
    update environment_service place set suspended = false, suspended_at = null, suspended_by = null
    from deployment where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId}
      and deployment.kind = 'resume' and deployment.cancel_requested_at is null and place.organization_id = ${organizationId}
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
  `.execute(effect.kysely);
}

export function recordResumed(effect: Effect, place: SuspensionPlace): void {
  const { organizationId, projectId, environmentId, serviceId, service, environment } = place;
  recordService(
    effect,
    'service.resumed',
    { id: serviceId, organizationId, projectId, name: service },
    { environment },
  );
  effect.change({ organizationId, projectId, kind: 'environment', id: environmentId });
}

async function write(effect: Effect, { organizationId, environmentId, serviceId }: SuspensionPlace, set: object) {
  await tenant(effect.kysely, organizationId)
    .updateTable('environment_service')
    .set(set)
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .execute();
}
