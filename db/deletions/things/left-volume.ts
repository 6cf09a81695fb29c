import { sql } from 'kysely';
import { Problem } from '../../../domain/problems.ts';
import { lockAdmission } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { requestVolumeRestore } from '../../volume-backups/volume-restores.ts';

/** Data that an environment has left on a cluster, and where that environment is now. */
export interface LeftVolume {
  organizationId: string;
  projectId: string;
  environmentId: string;
  environment: string;
  serviceId: string;
  service: string;
  volumeId: string;
  clusterId: string;
  cluster: string;
  /** The environment has moved to another cluster. */
  elsewhere: boolean;
  /** The restore that replaced them; null: the volume is mounted no more. */
  restoreId: string | null;
}

interface Ref {
  organizationId: string;
  id: string;
}

export async function findLeftVolume({ kysely }: Effect, { organizationId, id }: Ref): Promise<LeftVolume | undefined> {
  const { rows } = await sql<LeftVolume>`
    select left_volume.organization_id as "organizationId", left_volume.project_id as "projectId",
      left_volume.environment_id as "environmentId", environment.name as environment,
      left_volume.service_id as "serviceId", service.name as service, left_volume.volume_id as "volumeId",
      left_volume.cluster_id as "clusterId", cluster.name as cluster,
      environment.cluster_id is distinct from left_volume.cluster_id as elsewhere, left_volume.restore_id as "restoreId"
    from left_volume
    join environment on environment.organization_id = left_volume.organization_id and environment.id = left_volume.environment_id
    join service on service.organization_id = left_volume.organization_id and service.id = left_volume.service_id
    join cluster on cluster.organization_id = left_volume.organization_id and cluster.id = left_volume.cluster_id
    where left_volume.organization_id = ${organizationId} and left_volume.id = ${id}
  `.execute(kysely);
  return rows[0];
}

/**
 * Takes it from the list of what is left, so that it can be mounted again. Its data are where the environment has to be. Those that a
 * restore replaced stay in the list until another one has put them back.
 */
export async function takeBack(effect: Effect, ref: Ref & { name: string }): Promise<LeftVolume | undefined> {
  const left = await findLeftVolume(effect, ref);
  if (left === undefined) return undefined;
  if (left.elsewhere) {
    throw new Problem(
      'conflict',
      `The data of "${ref.name}" are on the cluster "${left.cluster}", and "${left.environment}" has moved away from it: move it back, then restore them.`,
    );
  }
  if (left.restoreId !== null) {
    const { environment: environmentName, service: serviceName, restoreId: keptByRestoreId } = left;
    const of = { ...left, environmentName, serviceName, volumeName: ref.name };
    await requestVolumeRestore(effect, of, { keptByRestoreId });
    return left;
  }
  await tenant(effect.kysely, ref.organizationId).deleteFrom('left_volume').where('id', '=', ref.id).execute();
  return left;
}

/**
 * Retires the releases of the environment that mount it, so that nobody returns to one whose data are gone. Answers who mounts it
 * again, in a sentence: its purge waits for that. Where the environment has moved away from the data, nobody does.
 */
export async function releaseLeftVolume(effect: Effect, ref: Ref): Promise<string | undefined> {
  const left = await findLeftVolume(effect, ref);
  if (left?.restoreId != null) return await putBack(effect, left.restoreId);
  if (left === undefined || left.elsewhere) return undefined;
  const { organizationId, environmentId, serviceId, volumeId } = left;
  // A deployment takes it, too.
  await lockAdmission(effect, left);
  const { rows } = await sql`
    select from release where release.organization_id = ${organizationId} and release.environment_id = ${environmentId}
      and release.service_id = ${serviceId} and position(${volumeId} in release.content::text) > 0
      and (exists (select from environment_service place where place.organization_id = release.organization_id
          and place.environment_id = release.environment_id and place.live_release_id = release.id)
        or exists (select from deployment where deployment.organization_id = release.organization_id
          and deployment.release_id = release.id and deployment.finished_at is null))
    union all select from environment_service place where place.organization_id = ${organizationId}
      and place.environment_id = ${environmentId} and place.service_id = ${serviceId}
      and position(${volumeId} in place.settings::text) > 0 limit 1
  `.execute(effect.kysely);
  if (rows.length > 0) return `The environment "${left.environment}" still mounts it.`;
  await tenant(effect.kysely, organizationId)
    .updateTable('release')
    .set({ retired_at: sql<Date>`coalesce(retired_at, now())` })
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where(sql<boolean>`position(${volumeId} in content::text) > 0`)
    .execute();
  return undefined;
}

/** Data that a restore replaced are mounted by nobody, unless another one puts them back just now. */
async function putBack({ kysely }: Effect, restoreId: string): Promise<string | undefined> {
  const open = await kysely
    .selectFrom('volume_restore')
    .select('id')
    .where('kept_by_restore_id', '=', restoreId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return open && `The restore ${open.id} puts them back.`;
}
