import { v7 as uuid } from 'uuid';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { defaultProcess, emptyDefinition, noSource, type ProcessSettings } from '../../domain/services/settings.ts';

/** A service of a project with one process, in no environment yet. */
export async function seedService(
  database: Database,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  {
    slug = `service-${uuid()}`,
    image = '',
    process = {},
  }: { slug?: string; image?: string; process?: Partial<ProcessSettings> } = {},
): Promise<{ serviceId: string; processId: string; slug: string }> {
  const own = tenant(database.kysely, organizationId);
  const [serviceId, processId] = [uuid(), uuid()];
  const definition = { ...emptyDefinition, source: { ...noSource, imageRepository: image } };
  await own
    .insertInto('service')
    .values({ id: serviceId, project_id: projectId, name: slug, slug, definition })
    .execute();
  await own
    .insertInto('service_process')
    .values({ id: processId, service_id: serviceId, name: 'web', definition: { ...defaultProcess, ...process } })
    .execute();
  return { serviceId, processId, slug };
}
