import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';

interface Place {
  organizationId: string;
  environmentId: string;
  serviceId: string;
}

/** Makes of the environment a production one that gives a variable to builds of the service: those of unknown sources wait. */
export async function awaitingApproval(
  { kysely }: Pick<Database, 'kysely'>,
  { organizationId, environmentId, serviceId }: Place,
): Promise<void> {
  const own = tenant(kysely, organizationId);
  await own.updateTable('environment').set({ production: true }).where('id', '=', environmentId).execute();
  await own
    .insertInto('variable')
    .values({
      ...{ environment_id: environmentId, service_id: serviceId, key: 'VITE_API', updated_by: 'test' },
      ...{ value: 'https://api.example.com', build_time: 'also' },
    })
    .execute();
}
