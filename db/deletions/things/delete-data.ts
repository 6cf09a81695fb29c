import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import { isCommandOver } from '../../../domain/clusters/commands.ts';
import { volumeName } from '../../../domain/services/volumes.ts';
import { createCommand } from '../../commands/cluster-commands.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Secrets } from '../../workloads/sealed-workload.ts';
import type { ThingToPurge } from './thing-row.ts';

interface Place {
  clusterId: string;
  cluster: string;
  environmentId: string;
  serviceId: string;
  /** This volume alone; null: all of the service there. */
  volumeId: string | null;
}

/** An agent that is away takes the command when it is back, however long that lasts. */
const expiresInSeconds = 10 * 365 * 86_400;

/**
 * Has the volumes of the thing deleted on their clusters, by a command to the agent of each. Answers what it waits for;
 * undefined: nothing of them is left, or the cluster is gone with them.
 */
export async function deleteData(effect: Effect, keyring: Secrets, thing: ThingToPurge): Promise<string | undefined> {
  const waits: string[] = [];
  for (const place of await placesWithData(effect, thing)) {
    const { clusterId, cluster, environmentId, serviceId, volumeId } = place;
    const key = `env/${environmentId}/${serviceId}`;
    const body = {
      kind: 'delete-volumes',
      key,
      ...(volumeId === null ? {} : { volumes: [volumeName(volumeId)] }),
    };
    const last = await lastAttempt(effect, thing, clusterId, key);
    if (last.state === 'done') continue;
    if (last.state === undefined && last.isDue) {
      const actor = actorId('deletion', thing.deletionId);
      const ref = { id: clusterId, organizationId: thing.organizationId };
      await createCommand(effect, keyring, ref, { id: last.id, body, actorId: actor, expiresInSeconds });
    }
    waits.push(
      `The agent of the cluster "${cluster}" is still to delete its data${last.message === null ? '.' : `; it said: ${last.message}`}`,
    );
  }
  return waits[0];
}

/** Where the services that the thing has, or is part of, may have volumes: on the clusters of environments, and on those
 * that they were deployed on before. */
async function placesWithData({ kysely }: Effect, { organizationId, kind, id }: ThingToPurge): Promise<Place[]> {
  const mine = {
    service: sql`volume.service_id = ${id}`,
    database: sql`volume.service_id = ${id}`,
    volume: sql`volume.id = ${id}`,
    environment: sql`environment.id = ${id}`,
    project: sql`environment.project_id = ${id}`,
    'left-volume': sql`false`,
  }[kind];
  const volumeId = kind === 'volume' ? id : null;
  const { rows } = await sql<Place>`
    select distinct cluster.id as "clusterId", cluster.name as cluster, environment.id as "environmentId",
      volume.service_id as "serviceId", ${volumeId}::uuid as "volumeId"
    from volume
    join service on service.organization_id = volume.organization_id and service.id = volume.service_id
    join environment on environment.organization_id = service.organization_id
      and environment.project_id = service.project_id
    join cluster on cluster.organization_id = environment.organization_id and cluster.id = environment.cluster_id
      and cluster.finished_at is null
    where volume.organization_id = ${organizationId} and ${mine}
      and (exists (select from environment_service place where place.organization_id = volume.organization_id
          and place.service_id = volume.service_id and place.environment_id = environment.id)
        or exists (select from release where release.organization_id = volume.organization_id
          and release.service_id = volume.service_id and release.environment_id = environment.id))
    union select cluster.id, cluster.name, deployment.environment_id, deployment.service_id, ${volumeId}::uuid
    from deployment
    join release on release.organization_id = deployment.organization_id and release.id = deployment.release_id
    join environment on environment.organization_id = deployment.organization_id and environment.id = deployment.environment_id
    join volume on volume.organization_id = deployment.organization_id and volume.service_id = deployment.service_id
      and position(volume.id::text in release.content::text) > 0
    join cluster on cluster.organization_id = deployment.organization_id and cluster.id = deployment.cluster_id
      and cluster.finished_at is null
    where deployment.organization_id = ${organizationId} and ${mine}
    union select cluster.id, cluster.name, left_volume.environment_id, left_volume.service_id, left_volume.volume_id
    from left_volume
    join cluster on cluster.organization_id = left_volume.organization_id and cluster.id = left_volume.cluster_id
      and cluster.finished_at is null
    where left_volume.organization_id = ${organizationId} and ${kind === 'left-volume' ? sql`left_volume.id = ${id}` : sql`false`}
    order by 1, 3, 4
  `.execute(kysely);
  return rows;
}

/** An agent that fails at once, such as one that is too old, is asked again after this, then after twice as long, up to an hour. */
const firstPauseSeconds = 5;
const longestPauseSeconds = 3_600;

/**
 * Of one command after the other, whose ids follow from the deletion and the place: one that failed is followed by another
 * one after a pause. `state` undefined: it is not asked for yet. `message`: of the last one that failed.
 */
async function lastAttempt({ kysely }: Effect, { deletionId }: ThingToPurge, clusterId: string, key: string) {
  let message: string | null = null;
  let isDue = true;
  for (let attempt = 0; ; attempt += 1) {
    const id = idOf([deletionId, clusterId, key, attempt]);
    const pause = Math.min(firstPauseSeconds * 2 ** attempt, longestPauseSeconds);
    const row = await kysely
      .selectFrom('cluster_command')
      .select(['state', 'message'])
      .select(sql<boolean>`coalesce(finished_at, now()) <= now() - make_interval(secs => ${pause})`.as('rested'))
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return { id, state: undefined, message, isDue };
    if (row.state === 'done' || !isCommandOver(row.state)) return { id, state: row.state, message, isDue };
    message = row.message;
    isDue = row.rested;
  }
}

/** A UUID that is the same whenever it is asked for. */
function idOf(parts: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
