import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  between,
  type Durations,
  lengthsOf,
  quantile,
  type Series,
  type Weighted,
  withLengths,
} from '../../domain/deployments/durations.ts';
import type { StageTime } from '../../domain/deployments/states.ts';
import { type DeploymentStage, deploymentStages } from '../../domain/deployments/states.ts';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import type { DeploymentRef } from './rollout.ts';

/** Of which deployments statistics are asked. */
interface StatisticsFilter {
  /** Of these projects alone. */
  projectIds?: readonly string[] | undefined;
  projectId?: string | undefined;
  environmentId?: string | undefined;
  serviceId?: string | undefined;
}

/** The scopes in which a row of `deployment` is counted: its project, its environment, its service there. */
const scopesOfDeployment = sql`
  (values (''), (deployment.environment_id::text), (concat(deployment.environment_id, '/', deployment.service_id))) as part (scope)`;

/** The scopes whose sum is what is asked for, as a table with `project_id` and `scope`. */
function scopesOf(organizationId: string, filter: StatisticsFilter): RawBuilder<unknown> {
  const { projectIds, projectId, environmentId, serviceId } = filter;
  const tables = [sql`project`];
  const where = [sql`project.organization_id = ${organizationId}`];
  if (projectIds !== undefined) where.push(sql`project.id = any(${[...projectIds]}::uuid[])`);
  if (projectId !== undefined) where.push(sql`project.id = ${projectId}`);
  if (environmentId !== undefined || serviceId !== undefined) {
    tables.push(
      sql`environment on environment.organization_id = ${organizationId} and environment.project_id = project.id`,
    );
  }
  if (environmentId !== undefined) where.push(sql`environment.id = ${environmentId}`);
  if (serviceId !== undefined) {
    tables.push(sql`service on service.organization_id = ${organizationId} and service.project_id = project.id`);
    where.push(sql`service.id = ${serviceId}`);
  }
  const scope =
    serviceId !== undefined
      ? sql`concat(environment.id, '/', service.id)`
      : environmentId !== undefined
        ? sql`environment.id::text`
        : sql`''`;
  return sql`select project.id as project_id, ${scope} as scope from ${sql.join(tables, sql` join `)}
    where ${sql.join(where, sql` and `)}`;
}

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

export interface Lengths {
  /** 0 without samples. */
  medianMillis: number;
  p95Millis: number;
  sampleSize: number;
}

interface DeploymentStatistics extends Lengths {
  stages: (Lengths & { stage: DeploymentStage })[];
}

/** Up to so many deployments are read themselves, and told exactly; of more, buckets are counted. */
const few = 200;
const dayMillis = 86_400_000;

/** How long deployments took that were created since then and went live. */
export async function deploymentStatistics(
  kysely: Kysely<Tables>,
  organizationId: string,
  filter: StatisticsFilter,
  since: Date,
): Promise<DeploymentStatistics> {
  const firstWholeDay = new Date(Math.ceil(since.getTime() / dayMillis) * dayMillis);
  const counted = await countedSince(kysely, organizationId, filter, firstWholeDay);
  const many = sizeOf(weighted(counted, 'total')) > few;
  const until = many ? firstWholeDay : undefined;
  const read = await readSince(kysely, organizationId, filter, { since, until });
  const of = (series: Series): Lengths => {
    const lengths: Weighted[] = [
      ...(many ? weighted(counted, series) : []),
      ...read.flatMap((one) => one.filter(([name]) => name === series).map(([, millis]): Weighted => [millis, 1])),
    ];
    return { medianMillis: quantile(lengths, 0.5), p95Millis: quantile(lengths, 0.95), sampleSize: sizeOf(lengths) };
  };
  const stages = deploymentStages.map((stage) => ({ stage, ...of(stage) }));
  return { ...of('total'), stages: stages.filter(({ sampleSize }) => sampleSize > 0) };
}

interface Counted {
  before: Durations | null;
  last: Durations;
}

/** What was counted in each scope before a day and until now. */
async function countedSince(
  kysely: Kysely<Tables>,
  organizationId: string,
  filter: StatisticsFilter,
  day: Date,
): Promise<Counted[]> {
  const ofScope = sql`deployment_durations.project_id = scopes.project_id and deployment_durations.scope = scopes.scope`;
  const { rows } = await sql<Counted>`
    select before.durations as before, last.durations as last from (${scopesOf(organizationId, filter)}) scopes
    cross join lateral (
      select day, durations from deployment_durations where organization_id = ${organizationId} and ${ofScope} order by day desc limit 1) last
    left join lateral (
      select durations from deployment_durations where organization_id = ${organizationId} and ${ofScope} and day < ${dateOf(day)}::date
      order by day desc limit 1) before on true
    where last.day >= ${dateOf(day)}::date
  `.execute(kysely);
  return rows;
}

/** The lengths of deployments themselves. */
async function readSince(
  kysely: Kysely<Tables>,
  organizationId: string,
  filter: StatisticsFilter,
  { since, until }: { since: Date; until: Date | undefined },
): Promise<[Series, number][][]> {
  if (until !== undefined && until <= since) return [];
  const { environmentId, serviceId } = filter;
  const where = [
    sql`deployment.organization_id = ${organizationId} and deployment.project_id = scopes.project_id`,
    sql`deployment.state = 'live' and deployment.created_at >= ${since}`,
    ...(until === undefined ? [] : [sql`deployment.created_at < ${until}`]),
    ...(environmentId === undefined ? [] : [sql`deployment.environment_id = ${environmentId}`]),
    ...(serviceId === undefined ? [] : [sql`deployment.service_id = ${serviceId}`]),
  ];
  const { rows } = await sql<{ stages: StageTime[] }>`
    select stages from (select distinct project_id from (${scopesOf(organizationId, filter)}) each) scopes
    cross join lateral (select stages from deployment where ${sql.join(where, sql` and `)}) found
  `.execute(kysely);
  return rows.map(({ stages }) => lengthsOf(stages));
}

function weighted(counted: readonly Counted[], series: Series): Weighted[] {
  const all = counted.flatMap(({ before, last }) => between(before ?? {}, last, series));
  const sums = new Map<number, number>();
  for (const [millis, count] of all) sums.set(millis, (sums.get(millis) ?? 0) + count);
  return [...sums];
}

function sizeOf(lengths: readonly Weighted[]): number {
  return lengths.reduce((sum, [, count]) => sum + count, 0);
}

function dateOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

interface DayCount {
  date: string;
  deployments: number;
}

/** How many deployments were created on each of the last days (UTC), oldest first, today inclusive. */
export async function deploymentsPerDay(
  kysely: Kysely<Tables>,
  organizationId: string,
  filter: StatisticsFilter,
  days: number,
): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    with window_of as (
      select (clock_timestamp() at time zone 'UTC')::date as today
    ), counted as (
      select counter.day, sum(counter.deployments) as deployments
      from (${scopesOf(organizationId, filter)}) scopes
      join deployment_day counter on counter.organization_id = ${organizationId}
        and counter.project_id = scopes.project_id and counter.scope = scopes.scope
      where counter.day > (select today from window_of) - ${days}::int
      group by counter.day
    )
    select day::date::text as date, coalesce(counted.deployments, 0)::int as deployments
    from window_of cross join generate_series(0, ${days}::int - 1) as ago
    cross join lateral (select today - (${days}::int - 1) + ago as day) as one
    left join counted using (day) order by day
  `.execute(kysely);
  return rows;
}

/** The longest window of days that anybody can ask for, and a day for clocks. */
const keptDays = 401;

/**
 * Thins counters that are older than any window of days: numbers per day go, of durations the last row of each month
 * stays. Rows hold all days so far, so a window that begins earlier is told from the beginning of its month.
 */
export async function sweepStatistics(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const isOld = sql`day < (now() at time zone 'UTC')::date - ${keptDays}::int`;
  const isFollowed = sql`exists (
    /* across tenants */ select from deployment_durations later
    where later.project_id = deployment_durations.project_id and later.scope = deployment_durations.scope
      and later.day > deployment_durations.day
      and date_trunc('month', later.day::timestamp) = date_trunc('month', deployment_durations.day::timestamp))`;
  const counted = await deleteInBatches(kysely, { table: 'deployment_day', where: isOld, signal });
  const where = sql`${isOld} and ${isFollowed}`;
  return counted + (await deleteInBatches(kysely, { table: 'deployment_durations', where, signal }));
}
