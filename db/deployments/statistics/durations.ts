import { type Kysely, sql } from 'kysely';
import {
  between,
  type Durations,
  lengthsOf,
  quantile,
  type Series,
  type Weighted,
} from '../../../domain/deployments/durations.ts';
import type { StageTime } from '../../../domain/deployments/stages.ts';
import { type DeploymentStage, deploymentStages } from '../../../domain/deployments/states.ts';
import type { Tables } from '../../postgres/tables.ts';
import { type StatisticsFilter, scopesOf } from './scope.ts';

export interface Lengths {
  /** 0 without samples. */
  medianMillis: number;
  p95Millis: number;
  sampleSize: number;
}

export interface DeploymentStatistics extends Lengths {
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
