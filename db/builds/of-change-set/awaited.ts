import { actorId } from '../../../domain/actors/actors.ts';
import { admit, lockAdmission, type ProjectRef } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';

/** The lock that comes before all others of a build which a change set waits for. Answers that change set. */
export async function lockChangeSet(effect: Effect, buildId: string): Promise<string | undefined> {
  const row = await effect.kysely
    .selectFrom('build')
    .select(['organization_id as organizationId', 'project_id as projectId', 'change_set_id as changeSetId'])
    .where('id', '=', buildId)
    .executeTakeFirst();
  if (row === undefined || row.changeSetId === null) return undefined;
  await lockAdmission(effect, row);
  return row.changeSetId;
}

/** A build that a change set waits for is over: what was to come after its deployment does not begin if there is none. */
export async function tellChangeSet(
  effect: Effect,
  { id, organizationId, projectId }: ProjectRef & { id: string },
  changeSetId: string,
): Promise<void> {
  const { deployed } = await tenant(effect.kysely, organizationId)
    .selectFrom('build')
    .select(({ eb }) => eb('deployment_id', 'is not', null).$castTo<boolean>().as('deployed'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (!deployed) await admit(effect, { organizationId, projectId }, { event: 'unbuilt', id });
  effect.tell({ to: actorId('change-set', changeSetId), message: 'deploymentEnded', organizationId, body: {} });
}
