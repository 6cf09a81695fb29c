import { sql } from 'kysely';
import { countAsRestored } from '../../deletions/count-as-restored.ts';
import { deleteThing } from '../../deletions/things/hide.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { inUnits } from './in-units.ts';
import { reviveLeft } from './left-volumes.ts';

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
    effect.audit({
      action: 'volume.deleted',
      organizationId,
      subjectKind: 'volume',
      subjectId: id,
      subjectName: name,
      details: { deletionId, restoreUntil: restoreUntil.toISOString(), serviceId },
      workflowId: deletionId,
    });
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
