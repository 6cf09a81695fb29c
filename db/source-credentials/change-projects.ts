import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import {
  type AllowedProjects,
  projectIdsOf,
  type SourceCredentialRef,
  sourceCredentials,
  writeAllowedProjects,
} from './allowed-projects.ts';
import { namesOf, servicesUsing } from './used-by.ts';

export interface LockedProjects extends AllowedProjects {
  /** Of the credential. */
  name: string;
}

/** The list as it is, kept from others until the effect ends: staging a source that names the credential waits for it, too. */
export async function lockAllowedProjects(
  { kysely }: Effect,
  { kind, organizationId, id }: SourceCredentialRef,
): Promise<LockedProjects | undefined> {
  const { name, id: itsId, organization, allProjects } = sourceCredentials[kind];
  const { rows } = await sql<LockedProjects>`
    select ${name} as name, ${allProjects} as "allProjects", ${projectIdsOf(kind)} as "projectIds"
    from ${sql.table(kind)} where ${organization} = ${organizationId} and ${itsId} = ${id}
    for update of ${sql.table(kind)}
  `.execute(kysely);
  return rows[0];
}

/** Changes a list that is locked. A project whose services use the credential stays in it. */
export async function changeAllowedProjects(
  effect: Effect,
  credential: SourceCredentialRef,
  { name, ...before }: LockedProjects,
  after: AllowedProjects,
): Promise<void> {
  if (isDeepStrictEqual(before, after)) return;
  const { kind, organizationId, id } = credential;
  if (!after.allProjects) {
    await refuseInUse(effect, credential, name, after.projectIds);
    await refuseForBuilds(effect, credential, name);
  }
  await writeAllowedProjects(effect.kysely, credential, after);
  const details: JsonObject = {};
  for (const field of ['allProjects', 'projectIds'] as const) {
    if (!isDeepStrictEqual(before[field], after[field])) details[field] = { from: before[field], to: after[field] };
  }
  effect.audit(`${kind}.updated`, { organizationId, id, name }, details);
  effect.change({ organizationId, kind, id });
}

async function refuseInUse(
  { kysely }: Effect,
  credential: SourceCredentialRef,
  name: string,
  projectIds: readonly string[],
): Promise<void> {
  const services = await servicesUsing(kysely, credential, projectIds);
  if (services.length === 0) return;
  const named = namesOf(services, ({ service, project }) => `"${service}" in the project "${project}"`);
  throw new Problem(
    'conflict',
    `"${name}" is in use by ${named}: give them another source, and apply that, or keep their projects in the list.`,
  );
}

/** Images of all projects are kept there. */
async function refuseForBuilds(
  { kysely }: Effect,
  { kind, organizationId, id }: SourceCredentialRef,
  name: string,
): Promise<void> {
  if (kind !== 'registry_credential') return;
  const row = await kysely
    .selectFrom('organization')
    .select('id')
    .where('id', '=', organizationId)
    .where('build_registry_credential_id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return;
  throw new Problem(
    'conflict',
    `"${name}" is the credential of the organization's builds, which are of all projects: choose another one for them first.`,
  );
}
