import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';

export interface SeededRepository {
  organizationId: string;
  projectId: string;
  serviceId: string;
  /** `<organization>/<project>/<service>`. */
  path: string;
}

/** A service, in a project of its own or in that of another one; its repository is there with it. */
export async function seedRepository(
  database: Database,
  organization: { organizationId: string; slug: string },
  { project, service = 'web', beside }: { project?: string; service?: string; beside?: SeededRepository } = {},
): Promise<SeededRepository> {
  const { organizationId, slug } = organization;
  const own = tenant(database.kysely, organizationId);
  const [projectId, serviceId] = [beside?.projectId ?? uuid(), uuid()];
  const projectSlug = beside?.path.split('/')[1] ?? project ?? `p-${projectId.slice(-8)}`;
  if (beside === undefined) {
    await own.insertInto('project').values({ id: projectId, name: projectSlug, slug: projectSlug }).execute();
  }
  await own
    .insertInto('service')
    .values({ id: serviceId, project_id: projectId, name: service, slug: service, definition: sql`'{}'::jsonb` })
    .execute();
  return { organizationId, projectId, serviceId, path: `${slug}/${projectSlug}/${service}` };
}
