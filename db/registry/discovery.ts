import { type Kysely, sql } from 'kysely';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { Repository } from './repositories.ts';

interface Page {
  limit: number;
  /** The last one of the page before. */
  after?: string | undefined;
}

/** The names of the repository's tags, in the order of their bytes. */
export async function listTags(
  kysely: Kysely<Tables>,
  { id, organizationId }: Repository,
  { limit, after }: Page,
): Promise<string[]> {
  let query = tenant(kysely, organizationId)
    .selectFrom('registry_tag')
    .select('name')
    .where('service_id', '=', id)
    .orderBy(sql`name collate "C"`)
    .limit(limit);
  if (after !== undefined) query = query.where(sql<boolean>`name collate "C" > ${after}`);
  return (await query.execute()).map(({ name }) => name);
}

export interface ProjectTag {
  serviceId: string;
  serviceSlug: string;
  tag: string;
  digest: string;
  updatedAt: Date;
}

/** The tags of all repositories of a project, the last ones first. */
export async function listProjectTags(
  kysely: Kysely<Tables>,
  { organizationId, projectId, limit }: { organizationId: string; projectId: string; limit: number },
): Promise<ProjectTag[]> {
  return await tenant(kysely, organizationId)
    .selectFrom('registry_tag')
    .innerJoin('service', 'service.id', 'registry_tag.service_id')
    .select([
      'service.id as serviceId',
      'service.slug as serviceSlug',
      'registry_tag.name as tag',
      'registry_tag.digest',
      'registry_tag.updated_at as updatedAt',
    ])
    .where('service.project_id', '=', projectId)
    .where('service.deletion_id', 'is', null)
    .orderBy('registry_tag.updated_at', 'desc')
    .orderBy('registry_tag.name')
    .limit(limit)
    .execute();
}

export interface Referrer {
  digest: string;
  mediaType: string;
  size: number;
  artifactType: string;
  annotations: JsonObject | null;
}

/** The manifests that say something about another one. */
export async function listReferrers(
  kysely: Kysely<Tables>,
  { id, organizationId }: Repository,
  { subject, artifactType, limit, after }: Page & { subject: string; artifactType?: string | undefined },
): Promise<Referrer[]> {
  let query = tenant(kysely, organizationId)
    .selectFrom('registry_manifest')
    .select(['digest', 'media_type as mediaType', 'size', 'artifact_type as artifactType', 'annotations'])
    .where('service_id', '=', id)
    .where('subject', '=', subject)
    .orderBy('digest')
    .limit(limit);
  if (artifactType !== undefined) query = query.where('artifact_type', '=', artifactType);
  if (after !== undefined) query = query.where('digest', '>', after);
  return await query.execute();
}
