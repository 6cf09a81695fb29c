import type { Kysely } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** A service, as far as others depend on it. */
export interface Dependable {
  id: string;
  name: string;
  dependsOn: string[];
}

/** The services of a project by their slugs: all of them, or those of these slugs. */
export async function servicesBySlug(
  kysely: Kysely<Tables>,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  slugs?: readonly string[],
): Promise<Map<string, Dependable>> {
  if (slugs?.length === 0) return new Map();
  let query = tenant(kysely, organizationId)
    .selectFrom('service')
    .select(['id', 'name', 'slug', 'definition'])
    .where('project_id', '=', projectId)
    .where('deletion_id', 'is', null);
  if (slugs !== undefined) query = query.where('slug', 'in', slugs);
  const rows = await query.execute();
  return new Map(rows.map(({ id, name, slug, definition }) => [slug, { id, name, dependsOn: definition.dependsOn }]));
}
