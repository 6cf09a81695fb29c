import { type Kysely, sql } from 'kysely';
import { nodeOf } from '../../domain/references/graph.ts';
import type { Variable } from '../../domain/references/names.ts';
import type { BuildTime } from '../../domain/variables/build-time.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Tables } from '../postgres/tables.ts';

/** A variable as it is applied. Secrets are not opened: their values are empty here. */
export interface AppliedValue extends Variable {
  value: string;
  secret: boolean;
  buildTime: BuildTime;
  at: Date;
}

/** Those of these variables that are applied, by `nodeOf`. */
export async function valuesAmong(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  variables: readonly Variable[],
): Promise<Map<string, AppliedValue>> {
  if (variables.length === 0) return new Map();
  const { rows } = await sql<AppliedValue>`
    with sought as (
      select * from unnest(${variables.map(({ scope }) => scope)}::text[], ${variables.map(({ key }) => key)}::text[])
        as one (scope, key)
    )
    select sought.scope, sought.key, value, sealed is not null as secret, coalesce(build_time, 'no') as "buildTime",
      updated_at as at
    from sought
    join variable on variable.organization_id = ${organizationId} and variable.environment_id = ${environmentId}
      and variable.service_id = nullif(sought.scope, '')::uuid and variable.key = sought.key
    union all
    select '', sought.key, value, sealed is not null, coalesce(build_time, 'no'), updated_at from sought
    join shared_variable shared on shared.organization_id = ${organizationId} and shared.environment_id = ${environmentId}
      and shared.key = sought.key
    where sought.scope = ''
  `.execute(kysely);
  return new Map(rows.map((row) => [nodeOf(row), row]));
}
