import { sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { callNext } from '../claim.ts';
import type { NewBuild } from '../new-build.ts';

/**
 * Of a push: the build of the same commit, if it is the last one asked for of this branch or tag and is not over. One that began
 * before settings were applied here may have been built in another way, so it does not count.
 */
export async function openBuildOf(
  { kysely }: Effect,
  { organizationId, environmentId, serviceId, source, trigger, deploys, connected = false, changeSetId }: NewBuild,
): Promise<string | undefined> {
  if (source.kind !== 'git' || changeSetId !== undefined || (trigger !== 'push' && trigger !== 'tag')) return undefined;
  const { rows } = await sql<{ id: string; same: boolean }>`
    select build.id,
      build.commit_sha = ${source.commit} and build.git_url = ${source.url} and build.repository = ${source.repository}
        and build.git_connection_id is not distinct from ${source.connectionId ?? null}::uuid
        and (build.deploys or not ${deploys}) and (build.connected or not ${connected})
        and build.cancel_requested_at is null
        and (build.state = 'queued' or not exists (
          select from change_set
          where change_set.organization_id = build.organization_id
            and change_set.environment_id = build.environment_id and change_set.applied_at >= build.started_at
        )) as same
    from build
    where build.organization_id = ${organizationId} and build.environment_id = ${environmentId}
      and build.service_id = ${serviceId} and build.git_ref = ${source.ref} and build.change_set_id is null
      and build.finished_at is null
    order by build.number desc limit 1
  `.execute(kysely);
  return rows[0]?.same === true ? rows[0].id : undefined;
}

/**
 * Ends older builds of the same branch or tag that are still queued. The service's row is locked, so nobody adds one; a claim
 * that holds one is waited for, and what it has claimed goes on. Nobody who holds a build waits for the service before it runs,
 * so no lock of turns is needed: the claim of a superseded build calls the next.
 */
export async function supersedeQueued(
  effect: Effect,
  { organizationId, projectId, environmentId, serviceId, source, deploys, changeSetId }: NewBuild,
  newer: { id: string; number: number; clusterId: string },
): Promise<void> {
  if (source.kind !== 'git' || changeSetId !== undefined) return;
  const older = await tenant(effect.kysely, organizationId)
    .selectFrom('build')
    .select(['id', 'cluster_id as clusterId'])
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where('git_ref', '=', source.ref)
    .where('change_set_id', 'is', null)
    .where('state', '=', 'queued')
    .where('number', '<', newer.number)
    // An image alone does not take the place of what was to be deployed.
    .$if(!deploys, (rows) => rows.where('deploys', '=', false))
    .orderBy('id')
    .execute();
  const called = new Set<string>();
  for (const { id, clusterId } of older) {
    const ended = await effect.kysely
      .updateTable('build')
      .set({
        ...{ state: 'superseded', superseded_by: newer.id, revision: sql<number>`revision + 1` },
        message: `Build #${newer.number} of the same branch or tag took its place before its turn came.`,
        finished_at: sql<Date>`now()`,
      })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .returning('id')
      .executeTakeFirst();
    if (ended === undefined) continue;
    effect.tell({ to: actorId('build', id), message: 'superseded', organizationId, body: {} });
    effect.change({ organizationId, projectId, kind: 'build', id });
    called.add(clusterId);
  }
  // The place that one of them would have got may be free for another.
  for (const clusterId of called) await callNext(effect, clusterId);
}
