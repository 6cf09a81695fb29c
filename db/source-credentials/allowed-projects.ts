import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** Credentials of an organization that sources of services name by their ids. */
export const sourceCredentials = {
  git_connection: {
    noun: 'Git connection',
    /** The field of a source that names one. */
    field: 'gitConnectionId',
    name: sql.ref<string>('git_connection.label'),
    id: sql.ref<string>('git_connection.id'),
    organization: sql.ref<string>('git_connection.organization_id'),
    allProjects: sql.ref<boolean>('git_connection.all_projects'),
    projects: sql.raw('git_allowed_project'),
    column: sql.ref<string>('git_connection_id'),
  },
  registry_credential: {
    noun: 'registry credential',
    field: 'registryCredentialId',
    name: sql.ref<string>('registry_credential.name'),
    id: sql.ref<string>('registry_credential.id'),
    organization: sql.ref<string>('registry_credential.organization_id'),
    allProjects: sql.ref<boolean>('registry_credential.all_projects'),
    projects: sql.raw('registry_allowed_project'),
    column: sql.ref<string>('credential_id'),
  },
} as const;

export type SourceCredentialKind = keyof typeof sourceCredentials;

/** The projects that may use a credential. `projectIds` counts, empty as well, unless all projects may. */
export interface AllowedProjects {
  allProjects: boolean;
  projectIds: string[];
}

export const everyProject: AllowedProjects = { allProjects: true, projectIds: [] };

export interface SourceCredentialRef {
  kind: SourceCredentialKind;
  organizationId: string;
  id: string;
}

/** On whose behalf a credential is used: projects, of which one must be allowed to, or the organization itself. */
export type UsedFor = readonly string[] | 'organization';

/** A condition of statements on the credential's table. A list of no projects may use none. */
export function mayUse(kind: SourceCredentialKind, usedFor: UsedFor): RawBuilder<boolean> {
  if (usedFor === 'organization') return sql<boolean>`true`;
  if (usedFor.length === 0) return sql<boolean>`false`;
  return projectMayUse(kind, sql`any(${[...usedFor]}::uuid[])`);
}

/** The same for the project of each row, which `project` is an expression of. */
export function projectMayUse(kind: SourceCredentialKind, project: RawBuilder<unknown>): RawBuilder<boolean> {
  const { id, organization, allProjects, projects, column } = sourceCredentials[kind];
  return sql<boolean>`(${allProjects} or exists (
    select from ${projects} as allowed
    where allowed.organization_id = ${organization} and allowed.${column} = ${id}
      and allowed.project_id = ${project}))`;
}

/** A column of statements on the credential's table. A deleted project is in no list until it is restored. */
export function projectIdsOf(kind: SourceCredentialKind): RawBuilder<string[]> {
  const { id, organization, allProjects, projects, column } = sourceCredentials[kind];
  return sql<string[]>`case when ${allProjects} then '{}'::text[] else array(
    select project.id::text from ${projects} as allowed
    join project on project.organization_id = allowed.organization_id and project.id = allowed.project_id
      and project.deletion_id is null
    where allowed.organization_id = ${organization} and allowed.${column} = ${id}
    order by 1) end`;
}

/** Writes the list. Deleted projects keep their places in it, so that one that is restored is what it was. */
export async function writeAllowedProjects(
  kysely: Kysely<Tables>,
  { kind, organizationId, id }: SourceCredentialRef,
  { allProjects, projectIds }: AllowedProjects,
): Promise<void> {
  const { projects, column } = sourceCredentials[kind];
  const set = { all_projects: allProjects };
  const own = tenant(kysely, organizationId);
  if (kind === 'git_connection') await own.updateTable('git_connection').set(set).where('id', '=', id).execute();
  else await own.updateTable('registry_credential').set(set).where('id', '=', id).execute();
  const listed = allProjects ? [] : projectIds;
  await sql`delete from ${projects} as allowed using project
    where allowed.organization_id = ${organizationId} and allowed.${column} = ${id}
      and project.organization_id = allowed.organization_id and project.id = allowed.project_id
      and project.deletion_id is null and not project.id = any(${listed}::uuid[])`.execute(kysely);
  await sql`insert into ${projects} (organization_id, ${column}, project_id)
    select ${organizationId}::uuid, ${id}::uuid, unnest(${listed}::uuid[]) on conflict do nothing`.execute(kysely);
}

/** Whether a credential is there that the project may not use. */
export async function isForbidden(
  kysely: Kysely<Tables>,
  { kind, organizationId, id }: SourceCredentialRef,
  projectId: string,
): Promise<boolean> {
  const { organization, id: itsId } = sourceCredentials[kind];
  const { rows } = await sql`
    select from ${sql.table(kind)}
    where ${organization} = ${organizationId} and ${itsId}::text = ${id} and not ${mayUse(kind, [projectId])}
  `.execute(kysely);
  return rows.length > 0;
}
