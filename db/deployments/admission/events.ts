import { sql } from 'kysely';
import { endSentence, waitingSentence } from '../../../domain/deployments/admission-words.ts';
import type { Admission } from '../../../domain/deployments/arbiter-types.ts';
import { isDeploymentFinal } from '../../../domain/deployments/states.ts';
import { deploymentFailed, deploymentLive, type EndedDeployment } from '../../../domain/notifications/messages.ts';
import type { Effect } from '../../engine/effect.ts';
import { type IncidentSubject, resolveIncidents } from '../../notification-channels/tell-channels.ts';
import { notify, type Requester } from '../../notifications/notify.ts';
import { type Happened, insertDeploymentEvents } from '../deployment-events.ts';
import type { AdmissionRequest, DecidedBy, Loaded, Preceding, ProjectRef } from './snapshot.ts';
import type { Written } from './writes.ts';

/** Tells people what an event did to each deployment. */
export async function tellEvents(
  effect: Effect,
  { organizationId }: ProjectRef,
  loaded: Loaded,
  admission: Admission,
  written: readonly Written[],
  request: AdmissionRequest,
  preceding: Preceding,
): Promise<void> {
  const happened = [
    ...created(effect, loaded, admission, request, preceding),
    ...written.flatMap((row) => changed(effect, row, admission, request)),
  ];
  await insertDeploymentEvents(effect.kysely, organizationId, happened);
}

function created(
  { author }: Effect,
  { concurrency }: Loaded,
  { insert }: Admission,
  request: AdmissionRequest,
  preceding: Preceding,
): Happened[] {
  if (request.event !== 'create') return [];
  return insert.flatMap(({ id, blocker }): Happened[] => {
    const { requestedBy = author, said } = request.deployments.find((one) => one.id === id) ?? {};
    const first = { deploymentId: id, kind: 'requested', occasion: 'requested' } as const;
    const requested = { ...first, message: sentences(`Requested by ${requestedBy.name}.`, said) };
    const waits = { deploymentId: id, blocker, message: waitingSentence(blocker, concurrency, preceding(id)) };
    if (blocker === '') return [requested];
    if (blocker === 'approval') {
      return [requested, { ...waits, kind: 'approval-requested', occasion: 'approval-requested' }];
    }
    return [requested, { ...waits, kind: 'blocked', occasion: 'blocked at 0' }];
  });
}

function sentences(first: string, second = ''): string {
  return second === '' ? first : `${first} ${second}`;
}

function changed(
  { author }: Effect,
  { before, change, state, revision, waitsFor, message }: Written,
  { decided }: Admission,
  request: AdmissionRequest,
): Happened[] {
  const deploymentId = change.id;
  const happened: Happened[] = [];
  if (request.event === 'decide' && decided.includes(deploymentId)) {
    const { by, decision } = request;
    const who = by === undefined ? {} : { decidedBy: by.name, message: decidedSentence(by) };
    happened.push({ deploymentId, kind: 'decided', occasion: 'decided', decision, ...who });
  }
  if (change.cancelRequested === true) {
    const why = request.event === 'cancel' ? `Asked to cancel by ${author.name}.` : 'Asked to cancel by a rollback.';
    happened.push({ deploymentId, kind: 'cancel-requested', occasion: 'cancel-requested', message: why });
  }
  if (isDeploymentFinal(state)) {
    const why = message ?? endSentence(state, before.state === 'pending');
    happened.push({ deploymentId, kind: 'finished', occasion: 'finished', blocker: waitsFor ?? '', message: why });
  } else if (change.blocker !== undefined && state === 'pending') {
    if (waitsFor !== null) {
      const blocked = { kind: 'blocked', occasion: `blocked at ${revision}`, blocker: waitsFor } as const;
      happened.push({ deploymentId, ...blocked, message: message ?? '' });
    } else if (!decided.includes(deploymentId)) {
      const unblocked = { kind: 'unblocked', occasion: `unblocked at ${revision}`, blocker: before.blocker } as const;
      happened.push({ deploymentId, ...unblocked });
    }
  }
  return happened;
}

function decidedSentence({ name, brokenGlass, reason = '' }: DecidedBy): string {
  return brokenGlass === true ? `${name} passed the approval by break-glass: ${reason}` : reason;
}

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
