import { type Kysely, sql } from 'kysely';
import type { ServiceSettings } from '../../../domain/services/settings.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';

/** The settings of the newest release that mounts a volume, in an environment or in any. */
export async function mountingSettings(
  kysely: Kysely<Tables>,
  given: { organizationId: string; serviceId: string; volumeId: string; environmentId?: string },
): Promise<ServiceSettings | undefined> {
  const { organizationId, serviceId, volumeId, environmentId } = given;
  let query = tenant(kysely, organizationId)
    .selectFrom('release')
    .select('content')
    .where('service_id', '=', serviceId)
    .where(sql<boolean>`position(${volumeId} in content::text) > 0`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1);
  if (environmentId !== undefined) query = query.where('environment_id', '=', environmentId);
  return (await query.executeTakeFirst())?.content.settings;
}
