import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Database } from '../../db/postgres/database.ts';
import type { JsonValue } from '../../db/postgres/json.ts';
import { tenant } from '../../db/postgres/tenant.ts';

/** An uploaded folder without files. Answers its id. */
export async function seedSource(
  database: Database,
  { organizationId, projectId, serviceId }: { organizationId: string; projectId: string; serviceId: string },
): Promise<string> {
  const id = uuid();
  await tenant(database.kysely, organizationId)
    .insertInto('build_source')
    .values({
      ...{ id, project_id: projectId, service_id: serviceId, digest: `sha256:${id}`, size_bytes: 0 },
      ...{ files: sql<JsonValue[]>`'[]'::jsonb`, created_by_id: 'tester', created_by_name: 'Tester' },
    })
    .execute();
  return id;
}
