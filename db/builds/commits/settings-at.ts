import type { Kysely } from 'kysely';
import { Problem } from '../../../domain/problems.ts';
import type { ServiceDefinition } from '../../../domain/services/settings.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';

/** Settings of a service as they are applied in the environment; of one that is not applied there yet, its definition. */
export async function settingsAt(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: { organizationId: string; environmentId: string; serviceId: string },
): Promise<ServiceDefinition> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('service')
    .leftJoin('environment_service as place', (join) =>
      join.onRef('place.service_id', '=', 'service.id').on('place.environment_id', '=', environmentId),
    )
    .select(['service.definition', 'place.settings'])
    .where('service.id', '=', serviceId)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'The service has been deleted.');
  return row.settings ?? row.definition;
}
