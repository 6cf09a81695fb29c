import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { askForApproval } from './build-notices.ts';
import { openBuildOf, supersedeQueued } from './commits/same-ref.ts';
import type { NewBuild } from './new-build.ts';
import { takeSource } from './sources.ts';

export type { CommitSource, NewBuild } from './new-build.ts';

/** The source was deleted, or is another service's. */
export class SourceMissing extends Problem {
  constructor() {
    super('not-found', 'The source is not there any more: upload it again.');
  }
}

/** At most so many builds of a project wait or run: each holds a source. */
const mostOpen = 200;

/**
 * Queues a build and starts its workflow. Answers its id; of a push whose commit is being built already, the id of that build.
 * Older builds of the same branch or tag that are still queued are superseded.
 */
export async function requestBuild(effect: Effect, wanted: NewBuild): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId } = wanted;
  const own = tenant(effect.kysely, organizationId);
  // The service's row keeps others from taking the same number.
  const service = await own
    .selectFrom('service')
    .select('name')
    .where('id', '=', serviceId)
    .where('deletion_id', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (service === undefined) throw new Problem('not-found', 'The service has been deleted.');
  const environment = await own
    .selectFrom('environment')
    .select(['name', 'cluster_id as clusterId'])
    .where('id', '=', environmentId)
    .where('deletion_id', 'is', null)
    .executeTakeFirst();
  if (environment === undefined) throw new Problem('not-found', 'The environment has been deleted.');
  const { clusterId } = environment;
  if (clusterId === null) {
    throw new Problem(
      'conflict',
      `"${environment.name}" has no cluster, so nothing can be built for it: give it one, then build again.`,
    );
  }
  const same = await openBuildOf(effect, wanted);
  if (same !== undefined) return same;
  const source = await sourceColumns(effect, wanted);
  await refuseTooMany(effect, wanted);
  const last = await own
    .selectFrom('build')
    .select(sql<number | null>`max(number)`.as('number'))
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  const id = uuid();
  const number = (last?.number ?? 0) + 1;
  const { author } = effect;
  await own
    .insertInto('build')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, service_id: serviceId, cluster_id: clusterId },
      ...{ number, trigger: wanted.trigger, deploys: wanted.deploys, ...source },
      ...{ requested_by_kind: author.kind, requested_by_id: author.id, requested_by_name: author.name },
      ...{ actor_user_id: wanted.actorUserId ?? null, retry_of: wanted.retryOf ?? null },
      title: wanted.title ?? '',
      downtime_accepted: wanted.downtimeAccepted ?? false,
      connected: wanted.connected ?? false,
      ...{ approved_by_id: wanted.approvedBy?.id ?? null, approved_by_name: wanted.approvedBy?.name ?? null },
      change_set_id: wanted.changeSetId ?? null,
    })
    .execute();
  effect.tell({ start: 'build', id, organizationId });
  effect.change({ organizationId, projectId, kind: 'build', id });
  effect.audit(
    'build.requested',
    { organizationId, id, name: `${service.name} #${number}` },
    { environment: environment.name, trigger: wanted.trigger, ...commitOf(wanted) },
  );
  await supersedeQueued(effect, wanted, { id, number, clusterId });
  await askForApproval(effect, { ...wanted, id, number, environment: environment.name, service: service.name });
  return id;
}

/** An uploaded source stays until the build is over. */
async function sourceColumns({ kysely }: Effect, { organizationId, serviceId, source }: NewBuild) {
  if (source.kind === 'upload') {
    const { buildSourceId } = source;
    const taken = await takeSource(kysely, { id: serviceId, organizationId }, buildSourceId);
    if (taken === undefined) throw new SourceMissing();
    return { build_source_id: buildSourceId };
  }
  const { url, connectionId, repository, ref, commit, commitMessage } = source;
  return {
    ...{ git_url: url, git_connection_id: connectionId ?? null, git_ref: ref, repository },
    ...{ branch: shortRef(ref), commit_sha: commit, commit_message: commitMessage },
  };
}

/** As people write it: `main`, `v1.2`. */
function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, '');
}

function commitOf({ source }: NewBuild) {
  return source.kind === 'git' ? { repository: source.repository, ref: source.ref, commit: source.commit } : {};
}

async function refuseTooMany({ kysely }: Effect, { organizationId, projectId }: NewBuild): Promise<void> {
  const { open } = await tenant(kysely, organizationId)
    .selectFrom('build')
    .select(sql<number>`count(*)::int`.as('open'))
    .where('project_id', '=', projectId)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (open < mostOpen) return;
  throw new Problem(
    'quota-reached',
    `${open} builds of this project wait or run already; cancel some, or wait for them.`,
  );
}
