import { sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { isBuildFinal } from '../../domain/builds/states.ts';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { lockBuild } from './claim.ts';
import { lockChangeSet, tellChangeSet } from './of-change-set/awaited.ts';

/** Somebody's decision: a queued build ends at once, whatever else is up; of a running one the agent ends all processes. */
export async function cancelBuild(effect: Effect, id: string, name: string): Promise<void> {
  const changeSetId = await lockChangeSet(effect, id);
  const build = await lockBuild(effect, id);
  if (build === undefined) throw new Problem('not-found', 'There is no such build.');
  const { organizationId, projectId, state, number, revision } = build;
  if (isBuildFinal(state)) {
    throw new Problem(
      'already-decided',
      `Build #${number} of "${name}" has ${state === 'succeeded' || state === 'failed' ? state : `been ${state}`} already.`,
    );
  }
  const decided = { cancel_requested_at: sql<Date>`coalesce(cancel_requested_at, now())` };
  const ended = {
    state: 'cancelled' as const,
    revision: revision + 1,
    finished_at: sql<Date>`now()`,
    message: 'The build was cancelled before its turn came.',
  };
  await effect.kysely
    .updateTable('build')
    .set(state === 'queued' ? { ...decided, ...ended } : decided)
    .where('id', '=', id)
    .execute();
  effect.tell({ to: actorId('build', id), message: 'cancelled', organizationId, body: {} });
  if (state === 'queued' && changeSetId !== undefined) await tellChangeSet(effect, build, changeSetId);
  effect.change({ organizationId, projectId, kind: 'build', id });
  effect.audit('build.cancelled', { organizationId, id, name: `${name} #${number}` }, {});
}

interface ServiceInEnvironment {
  organizationId: string;
  environmentId: string;
  serviceId: string;
}

/** Cancels the builds of a service that leaves an environment: nobody would deploy what they make. */
export async function withdrawBuilds(
  effect: Effect,
  { organizationId, environmentId, serviceId }: ServiceInEnvironment,
): Promise<void> {
  const open = await tenant(effect.kysely, organizationId)
    .selectFrom('build')
    .innerJoin('service', 'service.id', 'build.service_id')
    .select(['build.id', 'service.name'])
    .where('build.environment_id', '=', environmentId)
    .where('build.service_id', '=', serviceId)
    .where('build.finished_at', 'is', null)
    .where('build.cancel_requested_at', 'is', null)
    .orderBy('build.id')
    .execute();
  for (const { id, name } of open) await cancelBuild(effect, id, name);
}
