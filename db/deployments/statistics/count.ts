import { type Kysely, sql } from 'kysely';
import { type Durations, lengthsOf, withLengths } from '../../../domain/deployments/durations.ts';
import type { StageTime } from '../../../domain/deployments/stages.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import type { DeploymentRef } from '../rollout.ts';
import { scopesOfDeployment } from './scope.ts';

const dayCreated = sql`(deployment.created_at at time zone 'UTC')::date`;

/** Counts deployments that were just created, under the lock of their project's admission. */
export async function countCreated(
  kysely: Kysely<Tables>,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  await sql`
    insert into deployment_day (organization_id, project_id, scope, day, deployments)
    select deployment.organization_id, deployment.project_id, part.scope, ${dayCreated}, count(*)
    from deployment cross join lateral ${scopesOfDeployment}
    where deployment.organization_id = ${organizationId} and deployment.id = any(${[...ids]}::uuid[])
    group by 1, 2, 3, 4 order by 3, 4
    on conflict (project_id, scope, day) do update set deployments = deployment_day.deployments + excluded.deployments
  `.execute(kysely);
}

interface Row {
  project_id: string;
  scope: string;
  /** The day on which the deployment was created. */
  created: string;
  /** Null in the only row of a scope without any. */
  day: string | null;
  durations: Durations | null;
}

/**
 * Counts a deployment that went live, under the lock of its project's admission: on the day on which it was created, and on
 * each later one that has a row, since rows hold all days so far.
 */
export async function countDurations(
  { kysely }: Effect,
  { deploymentId, organizationId }: DeploymentRef,
  stages: readonly StageTime[],
): Promise<void> {
  const lengths = lengthsOf(stages);
  if (lengths.length === 0) return;
  const { rows } = await sql<Row>`
    select deployment.project_id, part.scope, ${dayCreated}::text as created, known.day::text, known.durations
    from deployment cross join lateral ${scopesOfDeployment} left join lateral (
      (select day, durations from deployment_durations
        where organization_id = ${organizationId} and deployment_durations.project_id = deployment.project_id and deployment_durations.scope = part.scope
          and day >= ${dayCreated})
      union all
      (select day, durations from deployment_durations
        where organization_id = ${organizationId} and deployment_durations.project_id = deployment.project_id and deployment_durations.scope = part.scope
          and day < ${dayCreated} order by day desc limit 1)
    ) known on true
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId}
  `.execute(kysely);
  const written = [...Map.groupBy(rows, ({ scope }) => scope).values()].flatMap((known) => counted(known, lengths));
  const column = <T>(of: (row: (typeof written)[number]) => T): T[] => written.map(of);
  await sql`
    insert into deployment_durations (organization_id, project_id, scope, day, durations)
    select ${organizationId}, new.* from unnest(
      ${column((row) => row.project_id)}::uuid[], ${column(({ scope }) => scope)}::text[],
      ${column(({ day }) => day)}::date[], ${column(({ durations }) => JSON.stringify(durations))}::jsonb[]
    ) as new
    on conflict (project_id, scope, day) do update set durations = excluded.durations
  `.execute(kysely);
}

/** The rows of a scope from the day of the creation on, with one deployment more. */
function counted(known: readonly Row[], lengths: ReturnType<typeof lengthsOf>) {
  return known
    .filter(({ day, created }) => day === null || day >= created)
    .concat(known.some(({ day, created }) => day === created) ? [] : firstOfDay(known))
    .flatMap(({ day, durations, ...row }) =>
      day === null ? [] : [{ ...row, day, durations: withLengths(durations ?? {}, lengths) }],
    );
}

/** A day begins with what there was before. */
function firstOfDay(known: readonly Row[]): Row[] {
  const [any] = known;
  if (any === undefined) return [];
  const before = known.find(({ day, created }) => day !== null && day < created);
  return [{ ...any, day: any.created, durations: before?.durations ?? {} }];
}
