import { Migration } from '@mikro-orm/migrations';

export class Migration20261123215648_builds extends Migration {
  override name = 'Migration20261123215648_builds';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "build" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "environment_id" uuid not null, "service_id" uuid not null, "cluster_id" uuid not null, "number" int not null, "trigger" text not null, "kind" text not null default 'image', "state" text not null default 'queued', "revision" int not null default 0, "blocker" text null, "message" text null, "build_source_id" uuid null, "repository" text not null default '', "branch" text not null default '', "commit_sha" text not null default '', "commit_message" text not null default '', "deploys" boolean not null default true, "builder" jsonb null, "steps" jsonb not null default '[]', "cached_steps" int not null default 0, "total_steps" int not null default 0, "image" jsonb null, "log_lines" bigint not null default '0', "last_piece" int not null default -1, "log_bytes" bigint not null default '0', "release_id" uuid null, "deployment_id" uuid null, "release_error" text null, "release_error_at" timestamptz(3) null, "retry_of" uuid null, "cancel_requested_at" timestamptz(3) null, "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "actor_user_id" uuid null, "created_at" timestamptz(3) not null default now(), "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "build_open_index" on "build" ("cluster_id", "created_at") where finished_at is null;`);
    this.addSql(`create index "build_page_index" on "build" ("organization_id", "created_at", "id");`);
    this.addSql(`create index "build_state_page_index" on "build" ("organization_id", "state", "created_at", "id");`);
    this.addSql(
      `create index "build_service_page_index" on "build" ("organization_id", "service_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "build_build_source_id_index" on "build" ("build_source_id") where build_source_id is not null;`,
    );
    this.addSql(
      `create index "build_without_archive_index" on "build" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(
      `alter table "build" add constraint "build_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(`alter table "build" add constraint "build_service_id_number_unique" unique ("service_id", "number");`);
    this.addSql(
      `create unique index "build_running_unique" on "build" ("environment_id", "service_id") where state = 'running';`,
    );

    this.addSql(
      `create table "build_log_chunk" ("build_id" uuid not null, "first" bigint not null, "last" bigint not null, "organization_id" uuid not null, "sealed" bytea not null, "at" timestamptz(3) not null, primary key ("build_id", "first"));`,
    );
    this.addSql(
      `create index "build_log_chunk_organization_id_build_id_index" on "build_log_chunk" ("organization_id", "build_id");`,
    );

    this.addSql(
      `create table "build_source" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "service_id" uuid not null, "digest" text not null, "files" jsonb not null, "size_bytes" bigint not null, "created_by_id" text not null, "created_by_name" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "build_source_service_id_index" on "build_source" ("service_id", "created_at");`);
    this.addSql(`create index "build_source_created_at_index" on "build_source" ("created_at");`);
    this.addSql(
      `alter table "build_source" add constraint "build_source_organization_id_id_unique" unique ("organization_id", "id");`,
    );

    this.addSql(
      `create table "build_source_blob" ("build_source_id" uuid not null, "digest" text not null, "organization_id" uuid not null, primary key ("build_source_id", "digest"));`,
    );
    this.addSql(`create index "build_source_blob_digest_index" on "build_source_blob" ("digest");`);
    this.addSql(
      `create index "build_source_blob_organization_id_build_source_id_index" on "build_source_blob" ("organization_id", "build_source_id");`,
    );

    this.addSql(
      `alter table "build" add constraint "build_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "build" add constraint "build_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "build" add constraint "build_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "build" add constraint "build_trigger_check" check ("trigger" in ('push', 'tag', 'manual', 'retry', 'change-set', 'upload'));`,
    );
    this.addSql(`alter table "build" add constraint "build_kind_check" check ("kind" in ('image', 'static'));`);
    this.addSql(
      `alter table "build" add constraint "build_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed', 'superseded', 'cancelled'));`,
    );
    this.addSql(
      `alter table "build" add constraint "build_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );

    this.addSql(
      `alter table "build_log_chunk" add constraint "build_log_chunk_organization_id_build_id_foreign" foreign key ("organization_id", "build_id") references "build" ("organization_id", "id") on delete cascade;`,
    );

    this.addSql(
      `alter table "build_source" add constraint "build_source_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "build_source" add constraint "build_source_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "build_source_blob" add constraint "build_source_blob_organization_id_build_source_id_foreign" foreign key ("organization_id", "build_source_id") references "build_source" ("organization_id", "id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "build_log_chunk" drop constraint "build_log_chunk_organization_id_build_id_foreign";`);
    this.addSql(
      `alter table "build_source_blob" drop constraint "build_source_blob_organization_id_build_source_id_foreign";`,
    );

    this.addSql(`drop table if exists "build" cascade;`);
    this.addSql(`drop table if exists "build_log_chunk" cascade;`);
    this.addSql(`drop table if exists "build_source" cascade;`);
    this.addSql(`drop table if exists "build_source_blob" cascade;`);
  }
}
