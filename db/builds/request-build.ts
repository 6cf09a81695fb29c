import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { BuildTrigger } from '../../domain/builds/states.ts';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { takeSource } from './sources/sources.ts';

export interface NewBuild {
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  buildSourceId: string;
  trigger: BuildTrigger;
  /** Deployed once it has succeeded. */
  deploys: boolean;
  /** Whoever asks accepts that a process with a volume is down for a moment when it is deployed. */
  downtimeAccepted?: boolean;
  actorUserId: string | undefined;
  retryOf?: string;
}

/** At most so many builds of a project wait or run: each holds a source. */
const mostOpen = 200;

/** Queues a build and starts its workflow. Answers its id. */
export async function requestBuild(effect: Effect, wanted: NewBuild): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId, buildSourceId } = wanted;
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
  if (!(await holdSource(effect, wanted)))
    throw new Problem('not-found', 'The source is not there any more: upload it again.');
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
      ...{ number, trigger: wanted.trigger, deploys: wanted.deploys, build_source_id: buildSourceId },
      ...{ requested_by_kind: author.kind, requested_by_id: author.id, requested_by_name: author.name },
      ...{ actor_user_id: wanted.actorUserId ?? null, retry_of: wanted.retryOf ?? null },
      downtime_accepted: wanted.downtimeAccepted ?? false,
    })
    .execute();
  effect.tell({ start: 'build', id, organizationId });
  effect.change({ organizationId, projectId, kind: 'build', id });
  effect.audit({
    action: 'build.requested',
    organizationId,
    subjectKind: 'build',
    subjectId: id,
    subjectName: `${service.name} #${number}`,
    details: { environment: environment.name, trigger: wanted.trigger },
  });
  return id;
}

/** Whether the service has the source, which stays until the build is over then. */
export async function holdSource(
  { kysely }: Effect,
  { organizationId, serviceId, buildSourceId }: Pick<NewBuild, 'organizationId' | 'serviceId' | 'buildSourceId'>,
): Promise<boolean> {
  return (await takeSource(kysely, { id: serviceId, organizationId }, buildSourceId)) !== undefined;
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
