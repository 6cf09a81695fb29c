import { type Kysely, sql } from 'kysely';
import { effect } from '../../engine/effect.ts';
import type { Keyring } from '../../keys/keys.ts';
import type { Database } from '../../postgres/database.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import { type ConnectionAccess, connectionAccess } from '../connection-access.ts';

/** A build of a connection's commit, as its host is told of it. The names are those of addresses. */
export interface BuildToTell {
  buildId: string;
  number: number;
  repository: string;
  commit: string;
  organization: string;
  project: string;
  environment: string;
  service: string;
  access: ConnectionAccess;
}

/** Undefined: it is of no connection, or the connection is not there any more, or not for its project. */
export async function buildToTell(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  organizationId: string,
  buildId: string,
): Promise<BuildToTell | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('build')
    .innerJoin('organization', 'organization.id', 'build.organization_id')
    .innerJoin('project', 'project.id', 'build.project_id')
    .innerJoin('environment', 'environment.id', 'build.environment_id')
    .innerJoin('service', 'service.id', 'build.service_id')
    .select(['build.id as buildId', 'build.number', 'build.repository', 'build.commit_sha as commit'])
    .select(['build.git_connection_id as connectionId', 'organization.slug as organization', 'project.slug as project'])
    .select('build.project_id as projectId')
    .select(['environment.slug as environment', 'service.slug as service'])
    .where('build.id', '=', buildId)
    .where('organization.deletion_id', 'is', null)
    .executeTakeFirst();
  if (row === undefined || row.connectionId === null || row.commit === '') return undefined;
  const { connectionId: id, projectId, ...build } = row;
  const access = await connectionAccess(kysely, keyring, organizationId, { id, usedFor: [projectId] });
  return access === undefined ? undefined : { ...build, access };
}

/** Adds what the token of a connection may not do, unless that is known. */
export async function noteMissingPermission(
  database: Database,
  organizationId: string,
  id: string,
  permission: string,
): Promise<void> {
  const author = { kind: 'machine', id: `git/${id}`, name: 'Git connection' } as const;
  await effect(database, author, async (noting) => {
    const noted = await tenant(noting.kysely, organizationId)
      .updateTable('git_connection')
      .set({ missing_permissions: sql<string[]>`array_append(missing_permissions, ${permission}::text)` })
      .where('id', '=', id)
      .where(sql<boolean>`not ${permission}::text = any(missing_permissions)`)
      .executeTakeFirst();
    if (noted.numUpdatedRows > 0n) noting.change({ organizationId, kind: 'git_connection', id });
  });
}
