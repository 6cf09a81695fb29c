import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { freeSlug, slugOf } from '../../domain/slug.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { type Finder, foundColumns, hasWords, isWithin } from '../search/finder.ts';

export const foundProjects: Finder = {
  kind: 'project',
  select: (organizationId, sought) => sql`
    select ${foundColumns(sought, 'project', {
      id: sql`project.id`,
      name: sql`project.name`,
      detail: sql`project.slug`,
      place: sql`jsonb_build_object('project', project.slug)`,
    })}
    from project
    where project.organization_id = ${organizationId} and project.deletion_id is null
      and ${isWithin(sought, sql`project.id`)}`,
};

/** Names a project and whose it is. */
export interface ProjectRef {
  id: string;
  organizationId: string;
}

export interface ProjectView extends ProjectRef {
  name: string;
  slug: string;
  description: string;
  deployConcurrency: number;
  createdAt: Date;
  /** A member owns it, or a team. */
  owner: { id: string; name: string; email: string; picture: string | null } | null;
  team: { id: string; name: string } | null;
}

interface ProjectPage extends Page {
  /** Words of their names or descriptions. */
  q?: string | undefined;
  /** The projects that the reader is limited to. */
  within?: readonly string[] | undefined;
}

export async function findProject(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ProjectView | undefined> {
  return await projects(kysely, organizationId).where('project.id', '=', id).executeTakeFirst();
}

/** The organization's projects, oldest first. */
export async function listProjects(
  kysely: Kysely<Tables>,
  organizationId: string,
  { limit, after, q, within }: ProjectPage,
): Promise<ProjectView[]> {
  let query = projects(kysely, organizationId)
    .where(hasWords(q, [sql.ref('project.name'), sql.ref('project.description')]))
    .$call(pageOf('project', 'oldest', { limit, after }));
  if (within !== undefined) query = query.where(sql<boolean>`project.id = any(${within}::uuid[])`);
  return await query.execute();
}

interface NewProject {
  organizationId: string;
  name: string;
  description: string;
  /** A member owns it, or a team; or nobody, if a CI job created it. */
  owner: { ownerId?: string; teamId?: string };
}

/** Creates a project without environments. Its slug follows from its name. */
export async function createProject(effect: Effect, project: NewProject): Promise<ProjectView> {
  const { organizationId, name, description, owner } = project;
  const id = uuid();
  const owned = { owner_id: owner.ownerId ?? null, team_id: owner.teamId ?? null };
  for (let inserted = false; !inserted; ) {
    const slug = freeSlug(slugOf(name) || 'project', await slugs(effect, organizationId));
    const row = await tenant(effect.kysely, organizationId)
      .insertInto('project')
      .values({ id, name, slug, description, ...owned })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'slug']).where('deletion_id', 'is', null).doNothing(),
      )
      .returning('id')
      .executeTakeFirst();
    inserted = row !== undefined;
  }
  recordProject(effect, 'project.created', { id, organizationId, name });
  return await written(effect, { id, organizationId });
}

/** The row, kept from others until the transaction ends. */
export async function lockProject(effect: Effect, { id, organizationId }: ProjectRef) {
  return await tenant(effect.kysely, organizationId)
    .selectFrom('project')
    .select([
      'name',
      'description',
      'deploy_concurrency as deployConcurrency',
      'owner_id as ownerId',
      'team_id as teamId',
    ])
    .where('id', '=', id)
    .where('deletion_id', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export interface ProjectFields {
  name: string;
  description: string;
  deployConcurrency: number;
  ownerId: string | null;
  teamId: string | null;
}

/** Writes all of these fields. Its slug stays, since it stands in addresses. */
export async function changeProject(
  effect: Effect,
  project: ProjectRef,
  { name, description, deployConcurrency, ownerId, teamId }: ProjectFields,
  details: JsonObject,
): Promise<ProjectView> {
  await tenant(effect.kysely, project.organizationId)
    .updateTable('project')
    .set({ name, description, deploy_concurrency: deployConcurrency, owner_id: ownerId, team_id: teamId })
    .where('id', '=', project.id)
    .execute();
  recordProject(effect, 'project.updated', { ...project, name }, details);
  return await written(effect, project);
}

/** Records a change of a project in the audit log, and hints at it on event streams. */
export function recordProject(
  effect: Effect,
  action: 'project.created' | 'project.updated' | 'project.deleted',
  { id, organizationId, name }: ProjectRef & { name: string },
  details?: JsonObject,
): void {
  effect.audit(action, { organizationId, id, name }, details);
  effect.change({ organizationId, kind: 'project', id, projectId: id });
}

function projects(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('project')
    .leftJoin('app_user', 'app_user.id', 'project.owner_id')
    .leftJoin('team', 'team.id', 'project.team_id')
    .where('project.deletion_id', 'is', null)
    .select([
      'project.id',
      'project.organization_id as organizationId',
      'project.name',
      'project.slug',
      'project.description',
      'project.deploy_concurrency as deployConcurrency',
      'project.created_at as createdAt',
    ])
    .select(
      sql<ProjectView['owner']>`case when app_user.id is not null then json_build_object(
        'id', app_user.id, 'name', app_user.name, 'email', app_user.email, 'picture', app_user.picture) end`.as(
        'owner',
      ),
    )
    .select(
      sql<ProjectView['team']>`case when team.id is not null then json_build_object(
        'id', team.id, 'name', team.name) end`.as('team'),
    );
}

async function written(effect: Effect, { id, organizationId }: ProjectRef): Promise<ProjectView> {
  const project = await findProject(effect.kysely, organizationId, id);
  if (project === undefined) throw new Error(`The project ${id} that was just written is not there.`);
  return project;
}

async function slugs(effect: Effect, organizationId: string): Promise<Set<string>> {
  const rows = await tenant(effect.kysely, organizationId)
    .selectFrom('project')
    .select('slug')
    .where('deletion_id', 'is', null)
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}
