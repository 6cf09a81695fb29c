import { sql } from 'kysely';
import { type ChangeSetState, isChangeSetOver } from '../../domain/change-sets/states.ts';
import type { DeploymentState } from '../../domain/deployments/states.ts';
import type { Effect } from '../engine/effect.ts';

export interface ChangeSetRef {
  changeSetId: string;
  organizationId: string;
}

export interface ChangeSetSays {
  state: ChangeSetState;
  revision: number;
  message: string;
}

const gone: ChangeSetSays = { state: 'cancelled', revision: 0, message: '' };

/** Ends a change set whose deployments are all over. `failed`: its actor ends, whatever they do. */
export async function settle(
  effect: Effect,
  { changeSetId, organizationId }: ChangeSetRef,
  failed?: string,
): Promise<ChangeSetSays> {
  const row = await effect.kysely
    .selectFrom('change_set')
    .select(['state', 'revision', 'message', 'environment_id'])
    .where('id', '=', changeSetId)
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return gone;
  const { state, revision, message } = row;
  const same = { state, revision, message: message ?? '' };
  if (isChangeSetOver(state)) return same;
  const end =
    failed === undefined ? await endOf(effect, changeSetId, state) : { state: 'failed' as const, message: failed };
  if (end === undefined) return same;
  const written = await effect.kysely
    .updateTable('change_set')
    .set({ state: end.state, message: end.message, revision: revision + 1, finished_at: sql`now()` })
    .where('id', '=', changeSetId)
    .returning(['state', 'revision'])
    .executeTakeFirstOrThrow();
  effect.change({ organizationId, kind: 'environment', id: row.environment_id });
  return { ...written, message: end.message ?? '' };
}

async function endOf({ kysely }: Effect, changeSetId: string, state: ChangeSetState) {
  if (state !== 'applying') return undefined;
  const { rows } = await sql<{ state: DeploymentState; service: string }>`
    select deployment.state, service.name as service
    from deployment join service on service.organization_id = deployment.organization_id
      and service.id = deployment.service_id
    where deployment.change_set_id = ${changeSetId} order by service.name
  `.execute(kysely);
  return changeSetEnd(rows);
}

/** The end that follows from its deployments; none while one of them is open. */
export function changeSetEnd(
  deployments: readonly { state: DeploymentState; service: string }[],
): { state: 'applied' | 'failed' | 'cancelled'; message: string | null } | undefined {
  const over: readonly DeploymentState[] = ['live', 'failed', 'superseded', 'cancelled', 'rejected', 'expired'];
  if (deployments.some(({ state }) => !over.includes(state))) return undefined;
  const those = (state: DeploymentState) =>
    deployments.filter((one) => one.state === state).map(({ service }) => service);
  const [failed, cancelled] = [those('failed'), those('cancelled')];
  if (failed.length > 0) return { state: 'failed', message: `Not live: ${[...failed, ...cancelled].join(', ')}.` };
  if (cancelled.length === 0) return { state: 'applied', message: null };
  // Of one that was composed anew while it was held, the deployments of before are superseded.
  const counted = deployments.filter(({ state }) => state !== 'superseded');
  if (cancelled.length === counted.length) return { state: 'cancelled', message: null };
  return { state: 'failed', message: `Cancelled before they were live: ${cancelled.join(', ')}.` };
}
