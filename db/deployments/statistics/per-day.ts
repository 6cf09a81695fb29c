import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../postgres/tables.ts';
import { type StatisticsFilter, scopesOf } from './scope.ts';

export interface DayCount {
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
