import { sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { seedRelease } from '../seeds/seed-place.ts';
import type { Ask } from './asked.ts';

/** Whose release is tried where. */
interface Tried {
  organizationId: string;
  deployment: string;
}

/** An environment before staging, in which a service runs another image than there; its cluster has told nothing of it yet. */
export async function addDevelopment(
  database: Database,
  asked: Ask,
  { organizationId, deployment }: Tried,
): Promise<void> {
  const { serviceId, environmentId } = await asked('GET', `/deployments/${deployment}`);
  const { projectId } = await asked('GET', `/environments/${environmentId}`);
  const made = await asked('POST', `/projects/${projectId}/environments`, { name: 'Development', production: false });
  const place = {
    ...{ organizationId, projectId: String(projectId), environmentId: String(made.id), serviceId: String(serviceId) },
    ...{ clusterId: '', processId: crypto.randomUUID() },
  };
  const { id, digest } = await seedRelease(database, place, 4);
  const own = tenant(database.kysely, organizationId);
  const there = own.selectFrom('environment_service').select('settings').where('service_id', '=', place.serviceId);
  const { settings } = await there.executeTakeFirstOrThrow();
  await own
    .insertInto('environment_service')
    .values({
      ...{ environment_id: place.environmentId, service_id: place.serviceId, project_id: place.projectId, settings },
      ...{ live_release_id: id, applied_digest: digest, live_at: sql<Date>`now()` },
    })
    .execute();
}
