import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Database } from '../../../db/postgres/database.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { type SeededPlace, seedPlace } from '../../seeds/seed-place.ts';
import type { World } from './seen.ts';
import { type Service, services } from './vocabulary.ts';

/** A project with a production environment and another one on one cluster, and three services in both. */
export async function seedWorld(database: Database, organizationId: string): Promise<World> {
  const own = tenant(database.kysely, organizationId);
  const places: SeededPlace[] = [];
  for (const slug of services) {
    const [beside] = places;
    const place = await seedPlace(database, organizationId, {
      production: true,
      ...(beside === undefined ? {} : { beside }),
    });
    await own.updateTable('service').set({ slug, name: slug }).where('id', '=', place.serviceId).execute();
    places.push(place);
  }
  const [first] = places as [SeededPlace, ...SeededPlace[]];
  const { projectId, clusterId, environmentId: production } = first;
  await own.updateTable('environment').set({ slug: 'production' }).where('id', '=', production).execute();
  const staging = uuid();
  await own
    .insertInto('environment')
    .values({
      ...{ id: staging, project_id: projectId, name: 'Staging', slug: 'staging', production: false },
      ...{ namespace: `n-${staging}`, cluster_id: clusterId },
    })
    .execute();
  await own.insertInto('draft').values({ environment_id: staging, id: uuid() }).execute();
  await sql`
    insert into environment_service (organization_id, environment_id, service_id, project_id, settings)
    select organization_id, ${staging}, service_id, project_id, settings from environment_service
    where environment_id = ${production} and organization_id = ${organizationId}
  `.execute(database.kysely);
  const ids = places.map(({ serviceId, processId }) => ({ serviceId, processId }));
  return {
    ...{ organizationId, projectId, clusterId, environments: [production, staging] },
    services: Object.fromEntries(services.map((name, at) => [name, ids[at]])) as World['services'] &
      Record<Service, never>,
  };
}
