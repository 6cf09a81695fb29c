import { type Kysely, sql } from 'kysely';
import { cloneUrl } from '../../../domain/git/clone-url.ts';
import { sameRepository, sameUrl } from '../../../domain/git/same-repository.ts';
import { tagMatches } from '../../../domain/git/tag-template.ts';
import type { Delivery } from '../../../domain/git/webhooks/delivery.ts';
import type { ServiceSource } from '../../../domain/services/settings.ts';
import type { CommitSource } from '../../builds/new-build.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import { projectMayUse } from '../../source-credentials/allowed-projects.ts';
import type { ToldConnection } from './told-connection.ts';

/** A service in an environment, applied there with the repository of a push as its source. */
export interface PushedPlace {
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
