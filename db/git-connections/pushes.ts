import { type Kysely, sql } from 'kysely';
import { cloneUrl, sameRepository, sameUrl } from '../../domain/git/address.ts';
import type { GitProvider } from '../../domain/git/connections.ts';
import { tagMatches } from '../../domain/git/tag-template.ts';
import type { Delivery } from '../../domain/git/webhooks/delivery.ts';
import { Problem } from '../../domain/problems.ts';
import type { ServiceSource } from '../../domain/services/settings.ts';
import type { CommitSource } from '../builds/new-build.ts';
import { requestBuild } from '../builds/request-build.ts';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import { type Effect, effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants, tenant } from '../postgres/tenant.ts';
import { projectMayUse } from '../source-credentials/allowed-projects.ts';
import { type ConnectionAccess, connectionAccess } from './connection-access.ts';
import { noteDelivery } from './connections.ts';

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

/** The connection that a webhook's address names. */
export interface ToldConnection {
  id: string;
  organizationId: string;
  provider: GitProvider;
  host: string;
  label: string;
}

/** Undefined of one that is deleted, or whose organization is: hosts are told of neither. */
export async function toldConnection(kysely: Kysely<Tables>, id: string): Promise<ToldConnection | undefined> {
  // The address is all that a host knows: whose connection it is, it cannot say.
  return await acrossTenants(kysely)
    .selectFrom('git_connection')
    .innerJoin('organization', 'organization.id', 'git_connection.organization_id')
    .select(['git_connection.id', 'git_connection.organization_id as organizationId', 'provider', 'host', 'label'])
    .where('git_connection.id', '=', id)
    .where('organization.deletion_id', 'is', null)
    .executeTakeFirst();
}

/** A service in an environment, applied there with the repository of a push as its source. */
interface PushedPlace {
  projectId: string;
  environmentId: string;
  environment: string;
  serviceId: string;
  service: string;
  /** Empty: the repository's default branch. */
  branch: string;
  autoDeploy: boolean;
  source: ServiceSource;
  /** Whether the connection is for its project. One that is not is built by no message of it, also by its public address. */
  allowed: boolean;
}

/** All services of the organization that are built from the repository, in an order that is always the same. */
export async function placesOf(
  kysely: Kysely<Tables>,
  { id, organizationId, provider, host }: ToldConnection,
  repository: string,
): Promise<PushedPlace[]> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('environment_service as place')
    .innerJoin('environment', 'environment.id', 'place.environment_id')
    .innerJoin('service', 'service.id', 'place.service_id')
    .innerJoin('project', 'project.id', 'place.project_id')
    .innerJoin('git_connection', (join) => join.on('git_connection.id', '=', id))
    .select([
      'place.project_id as projectId',
      'place.environment_id as environmentId',
      'environment.name as environment',
    ])
    .select(['place.service_id as serviceId', 'service.name as service', 'environment.auto_deploy as autoDeploy'])
    .select(({ fn, val }) => fn.coalesce('environment.git_branch', val('')).as('branch'))
    .select(sql<ServiceSource>`place.settings->'source'`.as('source'))
    .select(projectMayUse('git_connection', sql.ref('place.project_id')).as('allowed'))
    .where(sql<boolean>`place.settings->'source'->>'kind' = 'git'`)
    .where(
      sql<boolean>`(place.settings->'source'->>'gitConnectionId' = ${id} or place.settings->'source'->>'gitUrl' <> '')`,
    )
    .where('environment.kind', '=', 'persistent')
    .where('environment.cluster_id', 'is not', null)
    .where('environment.deletion_id', 'is', null)
    .where('service.deletion_id', 'is', null)
    .where('project.deletion_id', 'is', null)
    .orderBy('place.service_id')
    .orderBy('place.environment_id')
    .execute();
  const url = cloneUrl(host, repository);
  return rows.filter(({ source }) =>
    source.gitConnectionId === undefined
      ? sameUrl(provider, source.gitUrl, url)
      : source.gitConnectionId === id && sameRepository(provider, source.repository, repository),
  );
}

/**
 * Whether what was pushed is what the service is built from there. `defaultBranch` empty: nobody says which it is. One with a
 * template of tags is built by them alone.
 */
export function isBuiltBy({ branch, source }: PushedPlace, { kind, ref }: Delivery, defaultBranch: string): boolean {
  const template = source.trigger?.tagTemplate;
  if (kind === 'tag') return template !== undefined && tagMatches(template, ref.slice('refs/tags/'.length));
  if (kind !== 'push' || template !== undefined) return false;
  const wanted = branch === '' ? defaultBranch : branch;
  return wanted !== '' && ref === `refs/heads/${wanted}`;
}

/** What is built: as the service names its repository, which may differ from the host's word in its capitals. */
export function commitOf({ host }: ToldConnection, { source }: PushedPlace, delivery: Delivery): CommitSource {
  const { ref, commit, message } = delivery;
  const { gitConnectionId: connectionId } = source;
  const named =
    connectionId === undefined
      ? { url: source.gitUrl, repository: delivery.repository }
      : { url: cloneUrl(host, source.repository), repository: source.repository, connectionId };
  return { kind: 'git', ...named, ref, commit, commitMessage: message };
}

/** The outcome of a message. */
export interface Taken {
  builds: { id: string; service: string; environment: string }[];
  /** Why there is no build, or not one of each service that the push is of. */
  ignored?: string;
}

/** One push asks for no more builds than that: a repository with more services is built by hand. */
const mostBuilds = 50;

/**
 * Asks for the builds that a message leads to, once: its name is written in the same transaction. `defaultBranch`: of the
 * repository, empty where nobody says it. `outdated`: the branch has gone on, so that another message tells of its head.
 */
export async function takeDelivery(
  effect: Effect,
  connection: ToldConnection,
  name: string,
  delivery: Delivery,
  { defaultBranch, outdated }: { defaultBranch: string; outdated?: string | undefined },
): Promise<Taken> {
  const { organizationId, id } = connection;
  if (!(await isFirst(effect, connection, name))) return { builds: [], ignored: 'this message was taken before' };
  const taken = outdated === undefined ? await build() : { builds: [], ignored: outdated };
  await noteDelivery(effect, organizationId, id, statusOf(delivery, taken));
  return taken;

  async function build(): Promise<Taken> {
    const { kind, why, repository, ref } = delivery;
    if (kind === 'ping') return { builds: [], ignored: 'a ping builds nothing; the webhook is set up' };
    if (kind === 'deleted') return { builds: [], ignored: `${ref} was deleted` };
    if (kind === 'other') return { builds: [], ignored: why };
    const places = await placesOf(effect.kysely, connection, repository);
    if (places.length === 0) return { builds: [], ignored: `no applied service is built from ${repository}` };
    const pushed = places.filter((place) => isBuiltBy(place, delivery, defaultBranch));
    if (pushed.length === 0) return { builds: [], ignored: `no service is built by ${ref} of ${repository}` };
    // Their names are nothing to those who read of this connection.
    const allowed = pushed.filter((place) => place.allowed);
    const left = pushed.length - allowed.length;
    if (left === 0) return await request(allowed);
    const leaving = `${left === 1 ? '1 service is' : `${left} services are`} of projects that may not use this connection; add their projects to it`;
    const { builds, ignored } = await request(allowed);
    return { builds, ignored: ignored === undefined ? leaving : `${leaving}; ${ignored}` };
  }

  async function request(pushed: readonly PushedPlace[]): Promise<Taken> {
    const builds: Taken['builds'] = [];
    const refused =
      pushed.length > mostBuilds ? [`one push builds at most ${mostBuilds} services: build the others by hand`] : [];
    for (const place of pushed.slice(0, mostBuilds)) {
      const { projectId, environmentId, serviceId, service, environment, autoDeploy } = place;
      try {
        const wanted = { organizationId, projectId, environmentId, serviceId, actorUserId: undefined };
        const source = commitOf(connection, place, delivery);
        const trigger = delivery.kind === 'tag' ? 'tag' : 'push';
        builds.push({
          // A tag may name any commit, whoever protects the branch.
          id: await requestBuild(effect, {
            ...{ ...wanted, source, trigger, deploys: autoDeploy },
            connected: trigger === 'push',
          }),
          service,
          environment,
        });
      } catch (error) {
        // A service that was deleted meanwhile, or a full queue, takes no build from the others.
        if (!(error instanceof Problem)) throw error;
        refused.push(`${service} in ${environment}: ${error.message}`);
      }
    }
    return refused.length === 0 ? { builds } : { builds, ignored: refused.slice(0, 10).join('; ') };
  }
}

/** Two at once: the second waits here for the first one's transaction. */
async function isFirst({ kysely }: Effect, { id, organizationId }: ToldConnection, name: string): Promise<boolean> {
  const written = await tenant(kysely, organizationId)
    .insertInto('git_delivery')
    .values({ git_connection_id: id, name })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst();
  return written !== undefined;
}

function statusOf({ kind, repository, ref }: Delivery, { builds, ignored }: Taken): string {
  if (kind === 'ping') return 'received: ping';
  const what = ref === '' ? 'message' : `${ref.replace(/^refs\/(?:heads|tags)\//, '')} of ${repository}`;
  if (builds.length === 0) return `ignored: ${what}: ${ignored ?? 'nothing to do'}`;
  return `received: ${what}, ${builds.length === 1 ? '1 build' : `${builds.length} builds`}`;
}

/** Forgets messages of hosts after 30 days; none of them sends one again after so long. */
export async function sweepGitDeliveries(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`/* across tenants */ received_at < now() - interval '30 days'`;
  return await deleteInBatches(kysely, { table: 'git_delivery', where, along: sql.ref('received_at'), signal });
}
