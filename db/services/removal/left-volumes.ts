import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beginDeletion, countAsRestored } from '../../deletions/begin.ts';
import { deleteThing } from '../../deletions/things/hide.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { inUnits } from './impact.ts';

interface VolumeOwner {
  organizationId: string;
  environmentId: string;
}

interface Left {
  volumeId: string;
  serviceId: string;
  projectId: string;
  clusterId: string;
  name: string;
  mountPath: string;
  sizeBytes: number;
  context: string;
  environment: string;
  cluster: string;
}

/**
 * Begins the deletion of data that an environment leaves on its cluster: of volumes that a release had which was deployed there, and that
 * it mounts no more since the volume, its process or its service was removed there. `moving`: it leaves the cluster, with all of them. Those that
 * are deleted everywhere have a deletion of their own. `serviceIds`: of these alone.
 */
export async function leaveVolumes(
  effect: Effect,
  { organizationId, environmentId }: VolumeOwner,
  { serviceIds, moving = false }: { serviceIds?: readonly string[]; moving?: boolean } = {},
): Promise<void> {
  if (serviceIds?.length === 0) return;
  const { rows } = await sql<Left>`
    select volume.id as "volumeId", volume.service_id as "serviceId", environment.project_id as "projectId",
      cluster.id as "clusterId", volume.name, volume.mount_path as "mountPath", volume.size_bytes::float8 as "sizeBytes",
      project.name || ' / ' || service.name as context, environment.name as environment, cluster.name as cluster
    from environment
    join project on project.organization_id = environment.organization_id and project.id = environment.project_id
    join cluster on cluster.organization_id = environment.organization_id and cluster.id = environment.cluster_id
      and cluster.finished_at is null
    join service on service.organization_id = environment.organization_id and service.project_id = environment.project_id
      and service.deletion_id is null
    join volume on volume.organization_id = service.organization_id and volume.service_id = service.id
      and volume.deletion_id is null
    where environment.organization_id = ${organizationId} and environment.id = ${environmentId}
      and environment.deletion_id is null
      and ${serviceIds === undefined ? sql`true` : sql`service.id = any(${serviceIds}::uuid[])`}
      and exists (select from deployment join release on release.organization_id = deployment.organization_id
          and release.id = deployment.release_id and position(volume.id::text in release.content::text) > 0
        where deployment.organization_id = volume.organization_id and deployment.environment_id = environment.id
          and deployment.service_id = volume.service_id and deployment.cluster_id = cluster.id)
      and (${moving} or not exists (select from environment_service place
        where place.organization_id = volume.organization_id and place.environment_id = environment.id
          and place.service_id = volume.service_id and position(volume.id::text in place.settings::text) > 0))
      and not exists (select from left_volume had where had.organization_id = volume.organization_id
        and had.environment_id = environment.id and had.volume_id = volume.id and had.cluster_id = cluster.id
        and had.restore_id is null)
    order by volume.id
  `.execute(effect.kysely);
  for (const row of rows) await leave(effect, { organizationId, environmentId }, row);
}

async function leave(effect: Effect, { organizationId, environmentId }: VolumeOwner, left: Left): Promise<void> {
  const { projectId, serviceId, volumeId, clusterId, name, environment, cluster } = left;
  const id = uuid();
  const { deletionId, restoreUntil } = await beginDeletion(effect, {
    ...{ organizationId, projectId, kind: 'left-volume', subjectId: id, name, slug: '', context: left.context },
    detail: `${left.mountPath}, ${inUnits(left.sizeBytes)}, in ${environment} on the cluster ${cluster}`,
  });
  await tenant(effect.kysely, organizationId)
    .insertInto('left_volume')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, service_id: serviceId },
      ...{ volume_id: volumeId, cluster_id: clusterId, deletion_id: deletionId },
    })
    .execute();
  effect.audit(
    'volume.deleted',
    { organizationId, id, name, workflowId: deletionId },
    { deletionId, restoreUntil: restoreUntil.toISOString(), serviceId, volumeId, environment, cluster },
  );
}

/** Data that environments mount again where they lie are left no more: their deletion counts as restored. */
export async function reviveLeft(
  effect: Effect,
  { organizationId, projectId }: { organizationId: string; projectId: string },
): Promise<void> {
  const { rows } = await sql<{ id: string; deletionId: string }>`
    select left_volume.id, deletion.id as "deletionId" from left_volume
    join deletion on deletion.organization_id = left_volume.organization_id and deletion.id = left_volume.deletion_id
      and deletion.purge_started_at is null and deletion.state in ('retained', 'failed')
    join environment on environment.organization_id = left_volume.organization_id
      and environment.id = left_volume.environment_id and environment.cluster_id = left_volume.cluster_id
    join environment_service place on place.organization_id = left_volume.organization_id
      and place.environment_id = left_volume.environment_id and place.service_id = left_volume.service_id
      and position(left_volume.volume_id::text in place.settings::text) > 0
    where left_volume.organization_id = ${organizationId} and left_volume.project_id = ${projectId}
      and left_volume.restore_id is null
    order by deletion.id for update of deletion
  `.execute(effect.kysely);
  for (const { id, deletionId } of rows) {
    await tenant(effect.kysely, organizationId).deleteFrom('left_volume').where('id', '=', id).execute();
    await countAsRestored(effect, { deletionId, organizationId, projectId });
  }
}

/** The volumes that are purged on a cluster for this environment already: nothing may mount them there any more. */
export async function purgedThere(
  { kysely }: Pick<Effect, 'kysely'>,
  { organizationId, environmentId }: VolumeOwner,
  clusterId: string,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select deletion.name from left_volume
    join deletion on deletion.organization_id = left_volume.organization_id and deletion.id = left_volume.deletion_id
    where left_volume.organization_id = ${organizationId} and left_volume.environment_id = ${environmentId}
      and left_volume.cluster_id = ${clusterId} and left_volume.restore_id is null
      and deletion.purge_started_at is not null
    order by 1
  `.execute(kysely);
  return rows.map(({ name }) => name);
}

interface Ref {
  organizationId: string;
  projectId: string;
  serviceId: string;
}

/**
 * Begins the deletion of volumes of a service that were deleted, that a release had, and that no environment mounts any
 * more: from here on their data are kept for the retention. Those that no release had are forgotten without it.
 */
export async function deleteUnmounted(effect: Effect, { organizationId, projectId, serviceId }: Ref): Promise<void> {
  const { rows } = await sql<{ id: string; name: string; mountPath: string; sizeBytes: number; context: string }>`
    select volume.id, volume.name, volume.mount_path as "mountPath", volume.size_bytes::float8 as "sizeBytes",
      project.name || ' / ' || service.name as context
    from volume
    join service on service.organization_id = volume.organization_id and service.id = volume.service_id
    join project on project.organization_id = service.organization_id and project.id = service.project_id
    where volume.organization_id = ${organizationId} and volume.service_id = ${serviceId}
      and volume.removed_at is not null and volume.deletion_id is null
      and not exists (select from environment_service place
        join environment on environment.organization_id = place.organization_id and environment.id = place.environment_id
          and environment.deletion_id is null
        where place.organization_id = volume.organization_id and place.service_id = volume.service_id
          and position(volume.id::text in place.settings::text) > 0)
      and exists (select from release where release.organization_id = volume.organization_id
        and release.service_id = volume.service_id and position(volume.id::text in release.content::text) > 0)
    order by volume.id for update of volume
  `.execute(effect.kysely);
  for (const { id, name, mountPath, sizeBytes, context } of rows) {
    const { deletionId, restoreUntil } = await deleteThing(effect, {
      ...{ organizationId, projectId, kind: 'volume', subjectId: id, name, slug: '', context },
      detail: `${mountPath}, ${inUnits(sizeBytes)}`,
    });
    effect.audit(
      'volume.deleted',
      { organizationId, id, name, workflowId: deletionId },
      { deletionId, restoreUntil: restoreUntil.toISOString(), serviceId },
    );
  }
}

/**
 * Volumes that settings of a past release mount again are no longer deleted: their deletion counts as restored. They are
 * kept from environments to come all the same.
 */
export async function reviveMounted(
  effect: Effect,
  { organizationId, projectId }: Omit<Ref, 'serviceId'>,
): Promise<void> {
  const { rows } = await sql<{ id: string; deletionId: string }>`
    select volume.id, deletion.id as "deletionId" from deletion
    join volume on volume.organization_id = deletion.organization_id and volume.deletion_id = deletion.id
    where deletion.organization_id = ${organizationId} and deletion.project_id = ${projectId}
      and deletion.kind = 'volume' and deletion.purge_started_at is null
      and exists (select from environment_service place
        join environment on environment.organization_id = place.organization_id and environment.id = place.environment_id
          and environment.deletion_id is null
        where place.organization_id = volume.organization_id and place.service_id = volume.service_id
          and position(volume.id::text in place.settings::text) > 0)
    order by deletion.id for update
  `.execute(effect.kysely);
  for (const { id, deletionId } of rows) {
    await tenant(effect.kysely, organizationId)
      .updateTable('volume')
      .set({ deletion_id: null })
      .where('id', '=', id)
      .execute();
    await countAsRestored(effect, { deletionId, organizationId, projectId });
  }
  await reviveLeft(effect, { organizationId, projectId });
}
