import { sql } from 'kysely';
import type { BuildState } from '../../../domain/builds/states.ts';
import { buildFailed, buildNotDeployed, type EndedBuild } from '../../../domain/notifications/messages/build-ended.ts';
import type { Effect } from '../../engine/effect.ts';
import { notify } from '../../notifications/notify.ts';

/**
 * Who started a build hears that it failed, or that it was built and not deployed; chats do so of production. Others, such as one that
 * was cancelled or superseded, tell nobody.
 */
export async function notifyEnded(
  effect: Effect,
  { id, organizationId }: { id: string; organizationId: string },
  state: BuildState,
): Promise<void> {
  if (state !== 'failed' && state !== 'succeeded') return;
  const found = await endedBuild(effect, organizationId, id);
  if (found === undefined) return;
  const { production, starterId, message, releaseError, ...names } = found;
  if (state === 'succeeded' && releaseError === null) return;
  const ended: EndedBuild = { ...names, buildId: id, reason: (state === 'failed' ? message : releaseError) ?? '' };
  await notify(effect, {
    organizationId,
    occasion: `build ${id} ${state === 'failed' ? 'failed' : 'not deployed'}`,
    message: state === 'failed' ? buildFailed(ended) : buildNotDeployed(ended),
    to: starterId === null ? {} : { requester: { kind: 'user', id: starterId } },
    ...(production ? { channels: { chat: true } } : {}),
  });
}

interface Ended extends Omit<EndedBuild, 'buildId' | 'reason'> {
  production: boolean;
  starterId: string | null;
  message: string | null;
  releaseError: string | null;
}

async function endedBuild({ kysely }: Effect, organizationId: string, id: string): Promise<Ended | undefined> {
  const { rows } = await sql<Ended>`
    select build.project_id as "projectId", environment.id as "environmentId", environment.name as environment,
      environment.production, service.id as "serviceId", service.name as service, build.number,
      build.actor_user_id as "starterId", build.message, build.release_error as "releaseError"
    from build
    join environment on environment.organization_id = build.organization_id and environment.id = build.environment_id
    join service on service.organization_id = build.organization_id and service.id = build.service_id
    where build.organization_id = ${organizationId} and build.id = ${id}
  `.execute(kysely);
  return rows[0];
}
