import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** The images of a service. It is there as long as the service is, and has its id. */
export interface Repository {
  /** The service's id. */
  id: string;
  organizationId: string;
  projectId: string;
  /** `<organization>/<project>/<service>`, by their slugs. */
  path: string;
}

/** The three slugs of a repository's path, or undefined if it is none. */
export interface RepositoryPath {
  organization: string;
  project: string;
  service: string;
}

/** The repository of that path in an organization, if there is one. Whether the asker may see its project is asked elsewhere. */
export async function repositoryByPath(
  kysely: Kysely<Tables>,
  organizationId: string,
  { organization, project, service }: RepositoryPath,
): Promise<Repository | undefined> {
  const found = await tenant(kysely, organizationId)
    .selectFrom('service')
    .innerJoin('project', 'project.id', 'service.project_id')
    .innerJoin('organization', 'organization.id', 'service.organization_id')
    .select(['service.id', 'project.id as projectId'])
    .where('organization.slug', '=', organization)
    .where('project.slug', '=', project)
    .where('project.deletion_id', 'is', null)
    .where('service.slug', '=', service)
    .where('service.deletion_id', 'is', null)
    .executeTakeFirst();
  return found && { ...found, organizationId, path: `${organization}/${project}/${service}` };
}

/** Whether something of the service is to run on the cluster: its agent fetches those images, and no others. */
export async function runsOnCluster(
  kysely: Kysely<Tables>,
  clusterId: string,
  { id, organizationId }: Pick<Repository, 'id' | 'organizationId'>,
): Promise<boolean> {
  const slice = await kysely
    .selectFrom('cluster_slice')
    .select('key')
    .where('cluster_id', '=', clusterId)
    .where('organization_id', '=', organizationId)
    .where('key', 'like', `env/%/${id}`)
    .where('removed_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return slice !== undefined;
}

/** Whether a build of the service runs on the cluster: until it ends, its agent pushes what it makes. */
export async function isBuiltOnCluster(
  kysely: Kysely<Tables>,
  clusterId: string,
  { id, organizationId }: Pick<Repository, 'id' | 'organizationId'>,
): Promise<boolean> {
  const build = await kysely
    .selectFrom('build')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('cluster_id', '=', clusterId)
    .where('service_id', '=', id)
    .where('state', '=', 'running')
    .limit(1)
    .executeTakeFirst();
  return build !== undefined;
}

/** One change of a repository's content after the other: a sweep must not delete what a push has just found. */
export async function lockRepository(kysely: Kysely<Tables>, repositoryId: string): Promise<void> {
  const key = `registry ${repositoryId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(kysely);
}
