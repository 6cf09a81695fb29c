import type { Kysely } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** A service, as far as others depend on it. */
export interface Dependable {
  id: string;
  name: string;
  dependsOn: string[];
}

/** The services of a project by their slugs. */
export async function servicesBySlug(
  kysely: Kysely<Tables>,
  { organizationId, projectId }: { organizationId: string; projectId: string },
): Promise<Map<string, Dependable>> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select(['id', 'name', 'slug', 'definition'])
    .where('project_id', '=', projectId)
    .where('deletion_id', 'is', null)
    .execute();
  return new Map(rows.map(({ id, name, slug, definition }) => [slug, { id, name, dependsOn: definition.dependsOn }]));
}
