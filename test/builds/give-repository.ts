import { sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { noSource, type ServiceSource } from '../../domain/services/settings.ts';
import type { SeededPlace } from '../seeds/seed-place.ts';

/** Has a repository applied as the source of the service in the environment. */
export async function giveRepository(
  database: Database,
  { organizationId, environmentId, serviceId }: SeededPlace,
  source: Partial<ServiceSource>,
): Promise<void> {
  const whole = JSON.stringify({ ...noSource, kind: 'git', ...source });
  await tenant(database.kysely, organizationId)
    .updateTable('environment_service')
    .set({ settings: sql`settings || jsonb_build_object('source', ${whole}::jsonb)` })
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .execute();
}
