import { type Kysely, sql } from 'kysely';
import { hostUrl } from '../../domain/git/address.ts';
import { Problem } from '../../domain/problems.ts';
import type { ServiceDefinition } from '../../domain/services/settings.ts';
import type { Effect } from '../engine/effect.ts';
import { connectionAccess } from '../git-connections/connection-access.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';

/** Settings of a service as they are applied in the environment; of one that is not applied there yet, its definition. */
export async function settingsAt(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: { organizationId: string; environmentId: string; serviceId: string },
): Promise<ServiceDefinition> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('service')
    .leftJoin('environment_service as place', (join) =>
      join.onRef('place.service_id', '=', 'service.id').on('place.environment_id', '=', environmentId),
    )
    .select(['service.definition', 'place.settings'])
    .where('service.id', '=', serviceId)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'The service has been deleted.');
  return row.settings ?? row.definition;
}

/** From this minor of the protocol on an agent fetches commits; an older one would not understand the command. */
const commitsMinor = 6;

/** `source` of protocol/build.ts. */
type SourceForAgent =
  | { kind: 'upload'; sizeBytes: number }
  | { kind: 'git'; url: string; ref: string; commit: string; username: string; password: string };

/** What a build is made of, as its agent is told, with the credential of its connection; or why nobody can be asked. */
export async function sourceForAgent(
  { kysely }: Effect,
  keyring: Secrets,
  { id, organizationId, projectId, clusterId }: Record<'id' | 'organizationId' | 'projectId' | 'clusterId', string>,
): Promise<{ source: SourceForAgent } | { why: string }> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('build')
    .leftJoin('build_source', 'build_source.id', 'build.build_source_id')
    .select(sql<number>`coalesce(build_source.size_bytes, 0)::float8`.as('sizeBytes'))
    .select(['build.git_url as url', 'build.git_ref as ref', 'build.commit_sha as commit'])
    .select('build.git_connection_id as connectionId')
    .where('build.id', '=', id)
    .executeTakeFirstOrThrow();
  const { sizeBytes, connectionId, url, ref, commit } = row;
  if (ref === '') return { source: { kind: 'upload', sizeBytes } };
  const cluster = await kysely
    .selectFrom('cluster')
    .leftJoin('cluster_agent as agent', 'agent.cluster_id', 'cluster.id')
    .select(['cluster.name', 'agent.protocol_minor as minor'])
    .where('cluster.id', '=', clusterId)
    .where('cluster.organization_id', '=', organizationId)
    .executeTakeFirst();
  if ((cluster?.minor ?? 0) < commitsMinor) {
    return {
      why: `The agent of the cluster "${cluster?.name ?? ''}" is too old to build commits: update the agent, then retry the build.`,
    };
  }
  const source = { kind: 'git', url, ref, commit, username: '', password: '' } as const;
  if (connectionId === null) return { source };
  const access = await connectionAccess(kysely, keyring, organizationId, { id: connectionId, usedFor: [projectId] });
  // The token is for its own host, whatever became of the connection since.
  if (access === undefined || !url.startsWith(`${hostUrl(access.host)}/`)) {
    return {
      why: 'The Git connection of this build has been deleted, or is not for this project: give the service another one, apply that, and build again, or ask an administrator to add the project to it.',
    };
  }
  return { source: { ...source, username: access.username, password: access.password } };
}
