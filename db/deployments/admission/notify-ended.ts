import { sql } from 'kysely';
import {
  deploymentFailed,
  deploymentLive,
  type EndedDeployment,
} from '../../../domain/notifications/messages/deployment-ended.ts';
import type { Effect } from '../../engine/effect.ts';
import { type IncidentSubject, resolveIncidents } from '../../notification-channels/tell-channels.ts';
import { notify, type Requester } from '../../notifications/notify.ts';
import type { ProjectRef } from './snapshot.ts';
import type { Written } from './writes.ts';

/**
 * Who asked for a deployment hears that it failed, and in production that it is live, with a warning of what visitors get instead;
 * admins of failures in production.
 */
export async function notifyEnded(
  effect: Effect,
  { organizationId, projectId }: ProjectRef,
  written: readonly Written[],
  warning?: string,
): Promise<void> {
  for (const { change, state, message } of written) {
    if (state !== 'live' && state !== 'failed') continue;
    const found = await endedDeployment(effect, organizationId, change.id);
    if (found === undefined) continue;
    const { production, gone, requesterKind, requesterId, ...names } = found;
    const incident: IncidentSubject = `deployments of ${found.serviceId} in ${found.environmentId}`;
    // Of another environment, too: it may have been production when the deployment before it failed.
    if (state === 'live') await resolveIncidents(effect, organizationId, incident);
    if (state === 'live' && !production) continue;
    const ended: EndedDeployment = { ...names, deploymentId: change.id, projectId, reason: message ?? '' };
    await notify(effect, {
      organizationId,
      occasion: `deployment ${change.id} ${state}`,
      message: state === 'live' ? deploymentLive({ ...ended, warning }) : deploymentFailed(ended),
      to: {
        requester: { kind: requesterKind, id: requesterId },
        ...(state === 'failed' && production ? { admins: true as const } : {}),
      },
      ...(production ? { channels: { chat: true, ...(state === 'failed' && !gone ? { incident } : {}) } } : {}),
    });
  }
}

interface Ended extends Omit<EndedDeployment, 'deploymentId' | 'projectId' | 'reason'> {
  production: boolean;
  /** The service is deleted, or has left the environment: nothing would ever resolve an incident. */
  gone: boolean;
  requesterKind: Requester['kind'];
  requesterId: string;
}

async function endedDeployment(
  { kysely }: Effect,
  organizationId: string,
  deploymentId: string,
): Promise<Ended | undefined> {
  const { rows } = await sql<Ended>`
    select environment.id as "environmentId", environment.name as environment, environment.production,
      service.deletion_id is not null or environment.deletion_id is not null or not exists (
        select from environment_service place where place.organization_id = deployment.organization_id
          and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id) as gone,
      service.id as "serviceId", service.name as service, release.number as "releaseNumber",
      deployment.requested_by_kind as "requesterKind", deployment.requested_by_id as "requesterId"
    from deployment
    join environment on environment.organization_id = deployment.organization_id and environment.id = deployment.environment_id
    join service on service.organization_id = deployment.organization_id and service.id = deployment.service_id
    join release on release.organization_id = deployment.organization_id and release.id = deployment.release_id
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId}
  `.execute(kysely);
  return rows[0];
}
