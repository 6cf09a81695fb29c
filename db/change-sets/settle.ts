import { sql } from 'kysely';
import { type BuildState, isBuildFinal } from '../../domain/builds/states.ts';
import { type ChangeSetState, isChangeSetOver } from '../../domain/change-sets/items.ts';
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

/** Ends a change set whose builds and deployments are all over. `failed`: its actor ends, whatever they do. */
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
  const builds = await sql<{ state: BuildState; service: string }>`
    select build.state, service.name as service
    from build join service on service.organization_id = build.organization_id and service.id = build.service_id
    where build.change_set_id = ${changeSetId} and build.deployment_id is null order by service.name
  `.execute(kysely);
  return changeSetEnd(rows, builds.rows);
}

/** The end that follows from its deployments, and from its builds without one; none while one of them is open. */
export function changeSetEnd(
  deployments: readonly { state: DeploymentState; service: string }[],
  builds: readonly { state: BuildState; service: string }[] = [],
): { state: 'applied' | 'failed' | 'cancelled'; message: string | null } | undefined {
  const over: readonly DeploymentState[] = ['live', 'failed', 'superseded', 'cancelled', 'rejected', 'expired'];
  if (deployments.some(({ state }) => !over.includes(state))) return undefined;
  if (builds.some(({ state }) => !isBuildFinal(state))) return undefined;
  const those = (state: DeploymentState) =>
    deployments.filter((one) => one.state === state).map(({ service }) => service);
  const [failed, cancelled] = [those('failed'), those('cancelled')];
  if (builds.some(({ state }) => state !== 'cancelled')) {
    const ended = (how: (state: BuildState) => boolean) =>
      builds.filter(({ state }) => how(state)).map(({ service }) => service);
    const built = ended((state) => state === 'succeeded');
    const unbuilt = ended((state) => state !== 'succeeded');
    const message = `${named('Not built', unbuilt)}${named('Built, but not deployed', built)}${named('Not live', [...failed, ...cancelled])}`;
    return { state: 'failed', message: message.trim() };
  }
  cancelled.push(...builds.map(({ service }) => service));
  if (failed.length > 0) return { state: 'failed', message: `Not live: ${[...failed, ...cancelled].join(', ')}.` };
  if (cancelled.length === 0) return { state: 'applied', message: null };
  // Of one that was composed anew while it was held, the deployments of before are superseded.
  const counted = deployments.filter(({ state }) => state !== 'superseded');
  if (cancelled.length === counted.length + builds.length) return { state: 'cancelled', message: null };
  return { state: 'failed', message: `Cancelled before they were live: ${cancelled.join(', ')}.` };
}

function named(what: string, services: readonly string[]): string {
  return services.length === 0 ? '' : ` ${what}: ${services.join(', ')}.`;
}
