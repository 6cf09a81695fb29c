import { Migration } from '@mikro-orm/migrations';

export class Migration20261122214415_delivery extends Migration {
  override name = 'Migration20261122214415_delivery';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "approval" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "environment_id" uuid not null, "change_set_id" uuid null, "deployment_id" uuid null, "kind" text not null, "decision" text null, "decided_by_id" text null, "decided_by_name" text null, "self_approved" boolean not null default false, "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "answerable_id" text null, "reason" text not null default '', "basis" jsonb not null, "diff" jsonb null, "impact" jsonb null, "target" jsonb null, "created_at" timestamptz(3) not null default now(), "decided_at" timestamptz(3) null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "approval_page_index" on "approval" ("organization_id", "created_at", "id");`);
    this.addSql(
      `create index "approval_pending_index" on "approval" ("organization_id", "created_at", "id") where decision is null;`,
    );
    this.addSql(`create index "approval_environment_id_index" on "approval" ("environment_id");`);
    this.addSql(
      `alter table "approval" add constraint "approval_organization_id_id_unique" unique ("organization_id", "id");`,
    );

    this.addSql(
      `create table "change_set" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "environment_id" uuid not null, "state" text not null, "revision" int not null default 0, "blocker" text null, "message" text null, "title" text not null default '', "reason" text not null default '', "source" text not null, "source_commit" text null, "approval_id" uuid null, "downtime_accepted" boolean not null default false, "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "created_at" timestamptz(3) not null default now(), "applied_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "change_set_page_index" on "change_set" ("organization_id", "environment_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "change_set_organization_id_created_at_id_index" on "change_set" ("organization_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "change_set_without_archive_index" on "change_set" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(
      `alter table "change_set" add constraint "change_set_organization_id_id_unique" unique ("organization_id", "id");`,
    );

    this.addSql(
      `create table "change_set_item" ("id" uuid not null, "organization_id" uuid not null, "environment_id" uuid not null, "change_set_id" uuid not null, "service_id" uuid null, "process_id" uuid null, "volume_id" uuid null, "kind" text not null, "slot" text not null, "key" text not null, "label" text not null, "from_value" text not null, "to_value" text not null, "sealed_to" bytea null, "secret" boolean not null default false, "to_empty" boolean not null default false, "managed" boolean not null default false, "staged_by_id" text not null, "staged_by_name" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "change_set_item_environment_index" on "change_set_item" ("organization_id", "environment_id");`,
    );
    this.addSql(
      `create index "change_set_item_service_id_index" on "change_set_item" ("service_id") where service_id is not null;`,
    );
    this.addSql(
      `alter table "change_set_item" add constraint "change_set_item_slot_unique" unique ("change_set_id", "slot");`,
    );

    this.addSql(
      `create table "deployment" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "environment_id" uuid not null, "service_id" uuid not null, "release_id" uuid not null, "kind" text not null, "state" text not null default 'pending', "revision" int not null default 0, "blocker" text null, "waits_for" text null, "message" text null, "admission_order" bigserial, "queued" boolean not null default false, "approval_id" uuid null, "change_set_id" uuid null, "change_set_message" text not null default '', "cancel_requested_at" timestamptz(3) null, "downtime_accepted" boolean not null default false, "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "cluster_id" uuid null, "workload_revision" int null, "runs_as" text null, "stages" jsonb not null default '[]', "failure" jsonb null, "rerun_of" uuid null, "from_stage" text null, "created_at" timestamptz(3) not null default now(), "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "deployment_open_index" on "deployment" ("project_id") where finished_at is null;`);
    this.addSql(`create index "deployment_page_index" on "deployment" ("organization_id", "created_at", "id");`);
    this.addSql(
      `create index "deployment_environment_page_index" on "deployment" ("organization_id", "environment_id", "service_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "deployment_service_page_index" on "deployment" ("organization_id", "service_id", "created_at", "id");`,
    );
    this.addSql(`create index "deployment_release_id_index" on "deployment" ("release_id");`);
    this.addSql(
      `create index "deployment_change_set_id_index" on "deployment" ("change_set_id") where change_set_id is not null;`,
    );
    this.addSql(
      `create index "deployment_without_archive_index" on "deployment" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "deployment_rollout_unique" on "deployment" ("environment_id", "service_id") where state in ('preparing', 'releasing', 'starting', 'checking', 'switching', 'draining');`,
    );

    this.addSql(
      `create table "deployment_event" ("id" uuid not null, "organization_id" uuid not null, "deployment_id" uuid not null, "occasion" text not null, "kind" text not null, "stage" text not null default '', "blocker" text not null default '', "message" text not null default '', "decision" text not null default '', "decided_by" text not null default '', "at" timestamptz(3) not null default clock_timestamp(), primary key ("id"));`,
    );
    this.addSql(`create index "deployment_event_page_index" on "deployment_event" ("deployment_id", "at", "id");`);
    this.addSql(`create index "deployment_event_organization_id_index" on "deployment_event" ("organization_id");`);
    this.addSql(
      `alter table "deployment_event" add constraint "deployment_event_occasion_unique" unique ("deployment_id", "occasion");`,
    );

    this.addSql(
      `create table "draft" ("environment_id" uuid not null, "organization_id" uuid not null, "id" uuid not null, "revision" int not null default 0, "created_at" timestamptz(3) not null default now(), primary key ("environment_id"));`,
    );
    this.addSql(`alter table "draft" add constraint "draft_id_unique" unique ("id");`);
    this.addSql(`create index "draft_organization_id_index" on "draft" ("organization_id");`);

    this.addSql(
      `create table "environment" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "name" text not null, "slug" text not null, "namespace" text not null, "cluster_id" uuid null, "git_branch" text null, "kind" text not null default 'persistent', "auto_deploy" boolean not null default true, "production" boolean not null default false, "deletion_id" uuid null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "environment_page_index" on "environment" ("organization_id", "project_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "environment_cluster_id_index" on "environment" ("cluster_id") where cluster_id is not null;`,
    );
    this.addSql(
      `alter table "environment" add constraint "environment_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "environment_slug_unique" on "environment" ("project_id", "slug") where deletion_id is null;`,
    );

    this.addSql(
      `create table "environment_service" ("environment_id" uuid not null, "service_id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "settings" jsonb not null, "live_release_id" uuid null, "live_deployment_id" uuid null, "live_at" timestamptz(3) null, "suspended" boolean not null default false, "created_at" timestamptz(3) not null default now(), primary key ("environment_id", "service_id"));`,
    );
    this.addSql(
      `create index "environment_service_organization_id_service_id_index" on "environment_service" ("organization_id", "service_id");`,
    );
    this.addSql(
      `create index "environment_service_organization_id_project_id_index" on "environment_service" ("organization_id", "project_id");`,
    );

    this.addSql(
      `create table "project" ("id" uuid not null, "organization_id" uuid not null, "name" text not null, "slug" text not null, "description" text not null default '', "owner_id" uuid null, "team_id" uuid null, "deploy_concurrency" int not null default 10, "deletion_id" uuid null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "project_page_index" on "project" ("organization_id", "created_at", "id");`);
    this.addSql(`create index "project_team_id_index" on "project" ("team_id") where team_id is not null;`);
    this.addSql(
      `alter table "project" add constraint "project_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "project_slug_unique" on "project" ("organization_id", "slug") where deletion_id is null;`,
    );

    this.addSql(
      `create table "release" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "environment_id" uuid not null, "service_id" uuid not null, "number" int not null, "content" jsonb not null, "sealed" bytea null, "content_digest" text not null, "image_ref" text not null, "variable_keys" text[] not null, "runs_as" int not null, "change_set_id" uuid null, "build_id" uuid null, "git_commit_sha" text null, "promoted_from_release_id" uuid null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), "retired_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "release_page_index" on "release" ("organization_id", "environment_id", "service_id", "created_at", "id");`,
    );
    this.addSql(`create index "release_project_id_index" on "release" ("organization_id", "project_id");`);
    this.addSql(
      `alter table "release" add constraint "release_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "release" add constraint "release_service_id_number_unique" unique ("service_id", "number");`,
    );

    this.addSql(
      `create table "service" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "name" text not null, "slug" text not null, "template" text null, "definition" jsonb not null, "canvas_x" double precision null, "canvas_y" double precision null, "skip_production_approval" boolean not null default false, "skip_production_approval_at" timestamptz(3) null, "skip_production_approval_by" text null, "deletion_id" uuid null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "service_page_index" on "service" ("organization_id", "project_id", "created_at", "id");`,
    );
    this.addSql(
      `alter table "service" add constraint "service_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "service_slug_unique" on "service" ("project_id", "slug") where deletion_id is null;`,
    );

    this.addSql(
      `create table "service_process" ("id" uuid not null, "organization_id" uuid not null, "service_id" uuid not null, "name" text not null, "definition" jsonb not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "service_process_organization_id_service_id_index" on "service_process" ("organization_id", "service_id");`,
    );
    this.addSql(
      `alter table "service_process" add constraint "service_process_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "service_process" add constraint "service_process_name_unique" unique ("service_id", "name");`,
    );

    this.addSql(
      `create table "variable" ("environment_id" uuid not null, "service_id" uuid not null, "key" text not null, "organization_id" uuid not null, "value" text not null default '', "sealed" bytea null, "updated_at" timestamptz(3) not null default now(), "updated_by" text not null, primary key ("environment_id", "service_id", "key"));`,
    );
    this.addSql(
      `create index "variable_organization_id_environment_id_index" on "variable" ("organization_id", "environment_id");`,
    );

    this.addSql(
      `alter table "approval" add constraint "approval_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "approval" add constraint "approval_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "approval" add constraint "approval_kind_check" check ("kind" in ('deploy', 'rollback', 'promote', 'change-set'));`,
    );
    this.addSql(
      `alter table "approval" add constraint "approval_decision_check" check ("decision" in ('approved', 'rejected', 'expired', 'superseded', 'cancelled'));`,
    );
    this.addSql(
      `alter table "approval" add constraint "approval_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );

    this.addSql(
      `alter table "change_set" add constraint "change_set_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "change_set" add constraint "change_set_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "change_set" add constraint "change_set_state_check" check ("state" in ('held', 'applying', 'applied', 'failed', 'rejected', 'expired', 'cancelled'));`,
    );
    this.addSql(
      `alter table "change_set" add constraint "change_set_source_check" check ("source" in ('console', 'api', 'cli', 'repository', 'template', 'import'));`,
    );
    this.addSql(
      `alter table "change_set" add constraint "change_set_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );

    this.addSql(
      `alter table "change_set_item" add constraint "change_set_item_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "change_set_item" add constraint "change_set_item_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "change_set_item" add constraint "change_set_item_kind_check" check ("kind" in ('variable.set', 'variable.unset', 'file.set', 'file.unset', 'service.create', 'service.set', 'service.remove', 'process.create', 'process.set', 'process.delete', 'volume.create', 'volume.grow', 'volume.delete'));`,
    );

    this.addSql(
      `alter table "deployment" add constraint "deployment_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_organization_id_release_id_foreign" foreign key ("organization_id", "release_id") references "release" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_kind_check" check ("kind" in ('deploy', 'change-set', 'rollback', 'promote', 'redeploy', 'rerun', 'resume'));`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_state_check" check ("state" in ('pending', 'preparing', 'releasing', 'starting', 'checking', 'switching', 'draining', 'live', 'failed', 'superseded', 'cancelled', 'rejected', 'expired'));`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_waits_for_check" check ("waits_for" in ('approval', 'freeze', 'slot', 'earlier-deployment', 'dependency', 'build', 'cluster-lost', 'image', 'capacity', 'configuration', 'health', 'release-command', 'temporal'));`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );

    this.addSql(
      `alter table "deployment_event" add constraint "deployment_event_organization_id_deployment_id_foreign" foreign key ("organization_id", "deployment_id") references "deployment" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "deployment_event" add constraint "deployment_event_kind_check" check ("kind" in ('requested', 'approval-requested', 'decided', 'stage-started', 'stage-ended', 'blocked', 'unblocked', 'instance-failed', 'cancel-requested', 'returned', 'finished'));`,
    );

    this.addSql(
      `alter table "draft" add constraint "draft_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id") on delete cascade;`,
    );

    this.addSql(
      `alter table "environment" add constraint "environment_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "environment" add constraint "environment_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "environment" add constraint "environment_kind_check" check ("kind" in ('persistent', 'preview'));`,
    );

    this.addSql(
      `alter table "environment_service" add constraint "environment_service_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "environment_service" add constraint "environment_service_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "environment_service" add constraint "environment_service_organization_id_live_release_id_foreign" foreign key ("organization_id", "live_release_id") references "release" ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "project" add constraint "project_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "project" add constraint "project_organization_id_team_id_foreign" foreign key ("organization_id", "team_id") references "team" ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "release" add constraint "release_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "release" add constraint "release_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "release" add constraint "release_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "service" add constraint "service_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "service_process" add constraint "service_process_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id") on delete cascade;`,
    );

    this.addSql(
      `alter table "variable" add constraint "variable_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "variable" add constraint "variable_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "deployment_event" drop constraint "deployment_event_organization_id_deployment_id_foreign";`,
    );
    this.addSql(`alter table "approval" drop constraint "approval_organization_id_environment_id_foreign";`);
    this.addSql(`alter table "change_set" drop constraint "change_set_organization_id_environment_id_foreign";`);
    this.addSql(
      `alter table "change_set_item" drop constraint "change_set_item_organization_id_environment_id_foreign";`,
    );
    this.addSql(`alter table "deployment" drop constraint "deployment_organization_id_environment_id_foreign";`);
    this.addSql(`alter table "draft" drop constraint "draft_organization_id_environment_id_foreign";`);
    this.addSql(
      `alter table "environment_service" drop constraint "environment_service_organization_id_environment_id_foreign";`,
    );
    this.addSql(`alter table "release" drop constraint "release_organization_id_environment_id_foreign";`);
    this.addSql(`alter table "variable" drop constraint "variable_organization_id_environment_id_foreign";`);
    this.addSql(`alter table "approval" drop constraint "approval_organization_id_project_id_foreign";`);
    this.addSql(`alter table "change_set" drop constraint "change_set_organization_id_project_id_foreign";`);
    this.addSql(`alter table "deployment" drop constraint "deployment_organization_id_project_id_foreign";`);
    this.addSql(`alter table "environment" drop constraint "environment_organization_id_project_id_foreign";`);
    this.addSql(`alter table "release" drop constraint "release_organization_id_project_id_foreign";`);
    this.addSql(`alter table "service" drop constraint "service_organization_id_project_id_foreign";`);
    this.addSql(`alter table "deployment" drop constraint "deployment_organization_id_release_id_foreign";`);
    this.addSql(
      `alter table "environment_service" drop constraint "environment_service_organization_id_live_release_id_foreign";`,
    );
    this.addSql(`alter table "change_set_item" drop constraint "change_set_item_organization_id_service_id_foreign";`);
    this.addSql(`alter table "deployment" drop constraint "deployment_organization_id_service_id_foreign";`);
    this.addSql(
      `alter table "environment_service" drop constraint "environment_service_organization_id_service_id_foreign";`,
    );
    this.addSql(`alter table "release" drop constraint "release_organization_id_service_id_foreign";`);
    this.addSql(`alter table "service_process" drop constraint "service_process_organization_id_service_id_foreign";`);
    this.addSql(`alter table "variable" drop constraint "variable_organization_id_service_id_foreign";`);

    this.addSql(`drop table if exists "approval" cascade;`);
    this.addSql(`drop table if exists "change_set" cascade;`);
    this.addSql(`drop table if exists "change_set_item" cascade;`);
    this.addSql(`drop table if exists "deployment" cascade;`);
    this.addSql(`drop table if exists "deployment_event" cascade;`);
    this.addSql(`drop table if exists "draft" cascade;`);
    this.addSql(`drop table if exists "environment" cascade;`);
    this.addSql(`drop table if exists "environment_service" cascade;`);
    this.addSql(`drop table if exists "project" cascade;`);
    this.addSql(`drop table if exists "release" cascade;`);
    this.addSql(`drop table if exists "service" cascade;`);
    this.addSql(`drop table if exists "service_process" cascade;`);
    this.addSql(`drop table if exists "variable" cascade;`);
  }
}
