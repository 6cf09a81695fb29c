import { Migration } from '@mikro-orm/migrations';

export class Migration20261123093400_deployment_statistics extends Migration {
  override name = 'Migration20261123093400_deployment_statistics';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "deployment_day" ("project_id" uuid not null, "scope" text not null, "day" date not null, "organization_id" uuid not null, "deployments" int not null, primary key ("project_id", "scope", "day"));`,
    );
    this.addSql(`create index "deployment_day_organization_id_index" on "deployment_day" ("organization_id");`);

    this.addSql(
      `create table "deployment_durations" ("project_id" uuid not null, "scope" text not null, "day" date not null, "organization_id" uuid not null, "durations" jsonb not null, primary key ("project_id", "scope", "day"));`,
    );
    this.addSql(
      `create index "deployment_durations_organization_id_index" on "deployment_durations" ("organization_id");`,
    );

    this.addSql(
      `create index "deployment_project_page_index" on "deployment" ("organization_id", "project_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "deployment_state_page_index" on "deployment" ("organization_id", "state", "created_at", "id") where state <> 'live';`,
    );

    this.addSql(
      `alter table "deployment_day" add constraint "deployment_day_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "deployment_durations" add constraint "deployment_durations_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );

    this.addSql(countDays);
    this.addSql(countDurations);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "deployment_project_page_index";`);
    this.addSql(`drop index "deployment_state_page_index";`);
    this.addSql(`drop table if exists "deployment_durations" cascade;`);
    this.addSql(`drop table if exists "deployment_day" cascade;`);
  }
}

const scopes = `(values (''), (deployment.environment_id::text),
  (concat(deployment.environment_id, '/', deployment.service_id))) as part (scope)`;

const countDays = `
  insert into deployment_day (organization_id, project_id, scope, day, deployments)
  select deployment.organization_id, deployment.project_id, part.scope, (deployment.created_at at time zone 'UTC')::date, count(*)
  from deployment cross join lateral ${scopes} group by 1, 2, 3, 4;`;

/**
 * As db/deployments/statistics/count.ts counts them one by one. A row holds all days so far. Scopes multiply what is counted
 * already, and not the deployments, of which there may be millions; and the days without a number are not looked for by a
 * join, whose rows PostgreSQL cannot guess: a thousand deployments took minutes.
 */
const countDurations = `
  insert into deployment_durations (organization_id, project_id, scope, day, durations)
  with deployment as materialized (
    select past.organization_id, past.project_id, past.environment_id, past.service_id,
      (past.created_at at time zone 'UTC')::date as day, walked.series,
      round(ln(greatest(1, walked.millis)) / ln(1.02::float8))::int as bucket, count(*) as number
    from deployment past cross join lateral (
      select one ->> 'stage' as series, greatest(0, round(1000 * extract(epoch from
        (one ->> 'endedAt')::timestamptz - (one ->> 'startedAt')::timestamptz)))::float8 as millis
      from jsonb_array_elements(past.stages) one
      where one -> 'endedAt' is not null and jsonb_path_exists(past.stages, '$[*] ? (@.stage != "approval" && exists(@.endedAt))')
      union all
      select 'total', sum(greatest(0, round(1000 * extract(epoch from
        (one ->> 'endedAt')::timestamptz - (one ->> 'startedAt')::timestamptz))))::float8
      from jsonb_array_elements(past.stages) one
      where one -> 'endedAt' is not null and one ->> 'stage' <> 'approval' having count(*) > 0
    ) walked
    where past.state = 'live' group by 1, 2, 3, 4, 5, 6, 7
  ), counted as (
    select organization_id, project_id, part.scope, day, series, bucket, sum(number) as number
    from deployment cross join lateral ${scopes} group by 1, 2, 3, 4, 5, 6
  ), days as (
    select distinct organization_id, project_id, scope, day from counted
  ), buckets as (
    select distinct project_id, scope, series, bucket from counted
  ), walked as (
    select organization_id, project_id, scope, day, series, bucket, 0 as number from days join buckets using (project_id, scope)
    union all
    select organization_id, project_id, scope, day, series, bucket, number from counted
  ), sums as (
    select organization_id, project_id, scope, day, series, bucket,
      sum(sum(number)) over (partition by project_id, scope, series, bucket order by day) as number
    from walked group by 1, 2, 3, 4, 5, 6
  ), of_series as (
    select organization_id, project_id, scope, day, series, jsonb_object_agg(bucket, number) as numbers
    from sums where number > 0 group by 1, 2, 3, 4, 5
  )
  select organization_id, project_id, scope, day, jsonb_object_agg(series, numbers) from of_series group by 1, 2, 3, 4;`;
