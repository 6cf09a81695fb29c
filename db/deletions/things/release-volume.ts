import { sql } from 'kysely';
import { lockAdmission } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { ThingToPurge } from './thing-row.ts';

/**
 * Retires the releases that mount a volume, so that nobody returns to one whose data are gone. Answers who still mounts
 * it, in a sentence: its purge waits for that.
 */
export async function releaseVolume(
  effect: Effect,
  { organizationId, kind, id }: ThingToPurge,
): Promise<string | undefined> {
  if (kind !== 'volume') return undefined;
  const own = tenant(effect.kysely, organizationId);
  const volume = await own
    .selectFrom('volume')
    .innerJoin('service', 'service.id', 'volume.service_id')
    .select(['volume.service_id as serviceId', 'service.project_id as projectId'])
    .where('volume.id', '=', id)
    .executeTakeFirst();
  if (volume === undefined) return undefined;
  // A deployment takes it, too.
  await lockAdmission(effect, { organizationId, projectId: volume.projectId });
  const { rows } = await sql<{ name: string }>`
    select environment.name from environment_service place
    join environment on environment.organization_id = place.organization_id and environment.id = place.environment_id
    left join release live on live.organization_id = place.organization_id and live.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.service_id = ${volume.serviceId}
      and (position(${id} in place.settings::text) > 0 or position(${id} in live.content::text) > 0
        or exists (select from deployment join release on release.organization_id = deployment.organization_id
            and release.id = deployment.release_id
          where deployment.organization_id = place.organization_id and deployment.service_id = place.service_id
            and deployment.environment_id = place.environment_id and deployment.finished_at is null
            and position(${id} in release.content::text) > 0))
    order by environment.name limit 1
  `.execute(effect.kysely);
  const [mounted] = rows;
  if (mounted !== undefined) return `The environment "${mounted.name}" still mounts it.`;
  await own
    .updateTable('release')
    .set({ retired_at: sql<Date>`coalesce(retired_at, now())` })
    .where('service_id', '=', volume.serviceId)
    .where(sql<boolean>`position(${id} in content::text) > 0`)
    .execute();
  return undefined;
}
