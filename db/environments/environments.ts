import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { EnvironmentKind } from '../../domain/environments/environments.ts';
import { freeSlug, slugOf } from '../../domain/slug.ts';
import type { Effect } from '../engine/effect.ts';
import { guardChanged } from '../guards/guard-changed.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ProjectRef } from '../projects/projects.ts';
import { type Finder, foundColumns, hasWords, isWithin } from '../search/finder.ts';

/** Names an environment, its project and whose it is. */
export interface EnvironmentRef {
  id: string;
  organizationId: string;
  projectId: string;
}

export interface EnvironmentView extends EnvironmentRef {
  name: string;
  slug: string;
  namespace: string;
  clusterId: string | null;
  gitBranch: string | null;
  kind: EnvironmentKind;
  autoDeploy: boolean;
  production: boolean;
  createdAt: Date;
}

interface EnvironmentPage extends Page {
  /** Words of their names. */
  q?: string | undefined;
}

export async function findEnvironment(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<EnvironmentView | undefined> {
  return await environments(kysely, organizationId).where('environment.id', '=', id).executeTakeFirst();
}

/** The environments of a project, oldest first. */
export async function listEnvironments(
  kysely: Kysely<Tables>,
  { id, organizationId }: ProjectRef,
  { limit, after, q }: EnvironmentPage,
): Promise<EnvironmentView[]> {
  const query = environments(kysely, organizationId)
    .where('environment.project_id', '=', id)
    .where(hasWords(q, [sql.ref('environment.name')]))
    .$call(pageOf('environment', 'oldest', { limit, after }));
  return await query.execute();
}

interface NewEnvironment {
  name: string;
  production: boolean;
  clusterId?: string | undefined;
  gitBranch?: string | undefined;
  autoDeploy?: boolean | undefined;
}

/** Creates an environment with its draft. Its slug follows from its name, its namespace from project and slug. */
export async function createEnvironment(
  effect: Effect,
  project: ProjectRef & { slug: string },
  { name, production, clusterId, gitBranch, autoDeploy = true }: NewEnvironment,
): Promise<EnvironmentView> {
  const { organizationId } = project;
  const own = tenant(effect.kysely, organizationId);
  // Names of spaces on clusters are told apart in the whole organization: "a-b" with "c" is not "a" with "b-c".
  const turn = JSON.stringify(['namespaces', organizationId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`.execute(effect.kysely);
  const all = await own
    .selectFrom('environment')
    .select(['project_id', 'slug', 'namespace'])
    .where('deletion_id', 'is', null)
    .execute();
  const ofProject = all.filter(({ project_id }) => project_id === project.id);
  const slug = freeSlug(slugOf(name) || 'environment', new Set(ofProject.map((one) => one.slug)));
  const namespace = freeSlug(
    `${project.slug}-${slug}`.slice(0, 63).replace(/-+$/, ''),
    new Set(all.map((one) => one.namespace)),
  );
  const id = uuid();
  await own
    .insertInto('environment')
    .values({
      id,
      project_id: project.id,
      name,
      slug,
      namespace,
      production,
      auto_deploy: autoDeploy,
      cluster_id: clusterId ?? null,
      git_branch: gitBranch ?? null,
      // Those that come with a project are made in one transaction, and have an order all the same.
      created_at: sql`clock_timestamp()`,
    })
    .execute();
  await own.insertInto('draft').values({ environment_id: id, id: uuid() }).execute();
  const environment = { id, organizationId, projectId: project.id };
  recordEnvironment(effect, 'environment.created', { ...environment, name });
  return await writtenEnvironment(effect, environment);
}

/** The row, kept from others until the transaction ends. */
export async function lockEnvironment(effect: Effect, { id, organizationId }: EnvironmentRef) {
  return await tenant(effect.kysely, organizationId)
    .selectFrom('environment')
    .select(['name', 'cluster_id as clusterId', 'git_branch as gitBranch', 'auto_deploy as autoDeploy', 'production'])
    .where('id', '=', id)
    .where('deletion_id', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export interface EnvironmentFields {
  name: string;
  clusterId: string | null;
  gitBranch: string | null;
  autoDeploy: boolean;
  production: boolean;
}

/** Writes all of these fields. Its slug and its namespace stay, since they stand in addresses and on clusters. */
export async function changeEnvironment(
  effect: Effect,
  environment: EnvironmentRef,
  { before, after }: { before: EnvironmentFields; after: EnvironmentFields },
  details: JsonObject,
): Promise<EnvironmentView> {
  const { name, clusterId, gitBranch, autoDeploy, production } = after;
  await tenant(effect.kysely, environment.organizationId)
    .updateTable('environment')
    .set({ name, cluster_id: clusterId, git_branch: gitBranch, auto_deploy: autoDeploy, production })
    .where('id', '=', environment.id)
    .execute();
  recordEnvironment(effect, 'environment.updated', { ...environment, name }, details);
  const change = { guard: 'production', before: before.production, after: production } as const;
  await guardChanged(effect, { ...environment, name }, change);
  return await writtenEnvironment(effect, environment);
}

/** Records a change of an environment in the audit log, and hints at it on event streams. */
export function recordEnvironment(
  effect: Effect,
  action: 'environment.created' | 'environment.updated' | 'environment.deleted',
  { id, organizationId, projectId, name }: EnvironmentRef & { name: string },
  details?: JsonObject,
): void {
  effect.audit(action, { organizationId, id, name }, details);
  effect.change({ organizationId, kind: 'environment', id, projectId });
}

async function writtenEnvironment(
  effect: Effect,
  { id, organizationId }: Omit<EnvironmentRef, 'projectId'>,
): Promise<EnvironmentView> {
  const environment = await findEnvironment(effect.kysely, organizationId, id);
  if (environment === undefined) throw new Error(`The environment ${id} that was just written is not there.`);
  return environment;
}

function environments(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('environment')
    .where('environment.deletion_id', 'is', null)
    .select([
      'environment.id',
      'environment.organization_id as organizationId',
      'environment.project_id as projectId',
      'environment.name',
      'environment.slug',
      'environment.namespace',
      'environment.cluster_id as clusterId',
      'environment.git_branch as gitBranch',
      'environment.kind',
      'environment.auto_deploy as autoDeploy',
      'environment.production',
      'environment.created_at as createdAt',
    ]);
}

export const foundEnvironments: Finder = {
  kind: 'environment',
  select: (organizationId, sought) => sql`
    select ${foundColumns(sought, 'environment', {
      id: sql`environment.id`,
      name: sql`environment.name`,
      detail: sql`project.name`,
      place: sql`jsonb_build_object('project', project.slug, 'environment', environment.slug)`,
    })}
    from environment
    join project on project.id = environment.project_id and project.deletion_id is null
    where environment.organization_id = ${organizationId} and environment.deletion_id is null
      and ${isWithin(sought, sql`environment.project_id`)}`,
};
