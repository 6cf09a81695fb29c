import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../db/postgres/tables.ts';

/** A little more than the longest window of days. */
const days = 400;

interface Index {
  name: string;
  definition: string;
}

/**
 * So many past deployments of the organization's services, spread evenly over the services and over some 400 days. Each
 * seventh failed, each thousandth was rejected. Indexes are built once all rows are there: that is several times faster.
 */
export async function seedHistory(kysely: Kysely<Tables>, organizationId: string, count: number): Promise<void> {
  await kysely.transaction().execute(async (seeding) => {
    await sql`set local statement_timeout = 0`.execute(seeding);
    const { rows: indexes } = await sql<Index>`
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = 'deployment'::regclass and not exists (select from pg_constraint where conindid = indexrelid)
    `.execute(seeding);
    for (const { name } of indexes) await sql.raw(`drop index ${name}`).execute(seeding);
    await sql`
      with place as (
        select row_number() over (order by service_id) - 1 as number, * from environment_service
        where organization_id = ${organizationId} and live_release_id is not null
      )
      insert into deployment (id, organization_id, project_id, environment_id, service_id, release_id, kind, state,
        requested_by_kind, requested_by_id, requested_by_name, stages, created_at, finished_at, archived_at)
      select gen_random_uuid(), place.organization_id, place.project_id, place.environment_id, place.service_id,
        place.live_release_id, 'change-set',
        case when n % 1000 = 999 then 'rejected' when n % 7 = 6 then 'failed' else 'live' end, 'user', 'u', 'Ada',
        (select jsonb_agg(jsonb_build_object('stage', stage,
            'startedAt', created.at + make_interval(secs => 4 * (number - 1)),
            'endedAt', created.at + make_interval(secs => 4 * number + (n::bigint * number % 97) / 10.0)))
          from unnest(array['queue', 'prepare', 'start', 'check', 'switch', 'drain']) with ordinality as walked (stage, number)),
        created.at, created.at + interval '30 seconds', created.at + interval '1 minute'
      from generate_series(1, ${count}::int) n
      join place on place.number = n % (select count(*) from place),
        lateral (select now() - ${days}::int * interval '1 day' * (n::float8 / ${count}::int) as at) created
    `.execute(seeding);
    for (const { definition } of indexes) await sql.raw(definition).execute(seeding);
  });
  await kysely.connection().execute(async (own) => {
    const { rows } = await sql<{ before: string }>`select current_setting('statement_timeout') as before`.execute(own);
    await sql`set statement_timeout = 0`.execute(own);
    await sql`vacuum analyze deployment`.execute(own);
    await sql`set statement_timeout = ${sql.lit(rows[0]?.before ?? '')}`.execute(own);
  });
}
