import { Migration } from '@mikro-orm/migrations';

export class Migration20261121050222_clusters extends Migration {
  override name = 'Migration20261121050222_clusters';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "agent_release" ("image" text not null, "version" text not null, "digest" text not null, "size_bytes" int not null, "bytes" bytea not null, "offered" boolean not null default true, "created_at" timestamptz(3) not null default now(), primary key ("image"));`,
    );
    this.addSql(`alter table "agent_release" add constraint "agent_release_digest_unique" unique ("digest");`);

    this.addSql(
      `create table "agent_update" ("id" uuid not null, "organization_id" uuid not null, "cluster_id" uuid not null, "kind" text not null, "from_image" text not null, "to_image" text not null, "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "state" text not null default 'requested', "revision" int not null default 0, "message" text null, "blocker" text null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "agent_update_cluster_id_created_at_id_index" on "agent_update" ("cluster_id", "created_at", "id");`,
    );
    this.addSql(`create index "agent_update_organization_id_index" on "agent_update" ("organization_id");`);
    this.addSql(
      `create index "agent_update_without_archive_index" on "agent_update" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(
      `create unique index "agent_update_open_unique" on "agent_update" ("cluster_id") where finished_at is null;`,
    );

    this.addSql(
      `create table "cluster" ("id" uuid not null, "organization_id" uuid not null, "name" text not null, "slug" text not null, "region" text not null default '', "local" boolean not null default false, "schedulable" boolean not null default true, "desired_revision" int not null default 0, "state" text not null default 'awaiting-agent', "revision" int not null default 0, "message" text null, "blocker" text null, "deletion_requested_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "cluster_organization_id_created_at_id_index" on "cluster" ("organization_id", "created_at", "id");`,
    );
    this.addSql(`create index "cluster_open_index" on "cluster" ("created_at") where finished_at is null;`);
    this.addSql(
      `create index "cluster_without_archive_index" on "cluster" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(
      `alter table "cluster" add constraint "cluster_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "cluster_organization_id_slug_unique" on "cluster" ("organization_id", "slug") where finished_at is null;`,
    );
    this.addSql(
      `create unique index "cluster_local_unique" on "cluster" ("local") where local and finished_at is null;`,
    );

    this.addSql(
      `create table "cluster_agent" ("cluster_id" uuid not null, "organization_id" uuid not null, "credential_hash" bytea null, "next_credential_hash" bytea null, "credential_since" timestamptz(3) null, "enrolled_at" timestamptz(3) null, "contact" text not null default 'never', "incarnation" int not null default 0, "journal_id" uuid null, "protocol_minor" int not null default 0, "version" text null, "image" text null, "facts" jsonb null, "connected_at" timestamptz(3) null, "last_heartbeat_at" timestamptz(3) null, "report_number" int not null default 0, "applied_revision" int not null default 0, "error" text null, "told_trouble" text null, primary key ("cluster_id"));`,
    );
    this.addSql(`create index "cluster_agent_organization_id_index" on "cluster_agent" ("organization_id");`);
    this.addSql(
      `alter table "cluster_agent" add constraint "cluster_agent_credential_hash_unique" unique ("credential_hash");`,
    );
    this.addSql(
      `alter table "cluster_agent" add constraint "cluster_agent_next_credential_hash_unique" unique ("next_credential_hash");`,
    );

    this.addSql(
      `create table "cluster_command" ("id" uuid not null, "organization_id" uuid not null, "cluster_id" uuid not null, "kind" text not null, "sealed_body" bytea not null, "state" text not null default 'queued', "attempt" int not null default 1, "journal_id" uuid null, "lease_until" timestamptz(3) null, "cancel_requested_at" timestamptz(3) null, "exit_code" int null, "message" text null, "actor_id" text null, "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "delivered_at" timestamptz(3) null, "finished_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "cluster_command_open_index" on "cluster_command" ("cluster_id", "created_at") where finished_at is null;`,
    );
    this.addSql(
      `create index "cluster_command_organization_id_index" on "cluster_command" ("organization_id", "created_at");`,
    );
    this.addSql(
      `alter table "cluster_command" add constraint "cluster_command_organization_id_id_unique" unique ("organization_id", "id");`,
    );

    this.addSql(
      `create table "cluster_event" ("id" uuid not null, "organization_id" uuid not null, "cluster_id" uuid not null, "kind" text not null, "environment_id" uuid null, "service_id" uuid null, "release_id" uuid null, "payload" jsonb null, "at" timestamptz(3) not null default clock_timestamp(), "occasion" text not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "cluster_event_organization_id_at_id_index" on "cluster_event" ("organization_id", "at", "id");`,
    );
    this.addSql(`create index "cluster_event_cluster_id_at_id_index" on "cluster_event" ("cluster_id", "at", "id");`);
    this.addSql(
      `alter table "cluster_event" add constraint "cluster_event_cluster_id_occasion_unique" unique ("cluster_id", "occasion");`,
    );

    this.addSql(
      `create table "cluster_slice" ("cluster_id" uuid not null, "key" text not null, "organization_id" uuid not null, "name" text not null, "revision" int not null, "workload" jsonb not null, "sealed_secrets" bytea null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "removed_at" timestamptz(3) null, primary key ("cluster_id", "key"));`,
    );
    this.addSql(
      `create index "cluster_slice_cluster_id_revision_index" on "cluster_slice" ("cluster_id", "revision");`,
    );
    this.addSql(`create index "cluster_slice_organization_id_index" on "cluster_slice" ("organization_id");`);

    this.addSql(
      `create table "command_output" ("command_id" uuid not null, "number" int not null, "organization_id" uuid not null, "stream" text not null, "data" bytea not null, "at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("command_id", "number"));`,
    );
    this.addSql(`create index "command_output_organization_id_index" on "command_output" ("organization_id");`);
    this.addSql(`create index "command_output_created_at_index" on "command_output" ("created_at");`);

    this.addSql(
      `create table "enrollment_token" ("id" uuid not null, "organization_id" uuid not null, "cluster_id" uuid not null, "secret_hash" bytea not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, "used_by_credential_hash" bytea null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "enrollment_token" add constraint "enrollment_token_secret_hash_unique" unique ("secret_hash");`,
    );
    this.addSql(
      `create index "enrollment_token_organization_id_cluster_id_index" on "enrollment_token" ("organization_id", "cluster_id");`,
    );
    this.addSql(`create index "enrollment_token_expires_at_index" on "enrollment_token" ("expires_at");`);

    this.addSql(
      `create table "ingress_host" ("host" text not null, "organization_id" uuid not null, "cluster_id" uuid not null, "key" text not null, "process" text not null, "created_at" timestamptz(3) not null default now(), primary key ("host"));`,
    );
    this.addSql(`create index "ingress_host_organization_id_index" on "ingress_host" ("organization_id");`);
    this.addSql(
      `alter table "ingress_host" add constraint "ingress_host_cluster_id_key_process_unique" unique ("cluster_id", "key", "process");`,
    );

    this.addSql(
      `create table "observed_slice" ("cluster_id" uuid not null, "key" text not null, "organization_id" uuid not null, "applied_revision" int not null, "error" text null, "instances" jsonb not null, "volumes" jsonb not null, "traffic" jsonb not null, "observed_at" timestamptz(3) not null default now(), primary key ("cluster_id", "key"));`,
    );
    this.addSql(`create index "observed_slice_organization_id_index" on "observed_slice" ("organization_id");`);

    this.addSql(`alter table "process" add "present_since" timestamptz(3) not null default now();`);

    this.addSql(
      `alter table "agent_update" add constraint "agent_update_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "agent_update" add constraint "agent_update_kind_check" check ("kind" in ('update', 'rollback'));`,
    );
    this.addSql(
      `alter table "agent_update" add constraint "agent_update_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );
    this.addSql(
      `alter table "agent_update" add constraint "agent_update_state_check" check ("state" in ('requested', 'downloading', 'switching', 'confirming', 'succeeded', 'returned', 'failed', 'cancelled'));`,
    );

    this.addSql(
      `alter table "cluster" add constraint "cluster_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "cluster" add constraint "cluster_state_check" check ("state" in ('awaiting-agent', 'ready', 'degraded', 'updating', 'lost', 'deleting', 'deleted', 'failed'));`,
    );

    this.addSql(
      `alter table "cluster_agent" add constraint "cluster_agent_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "cluster_agent" add constraint "cluster_agent_contact_check" check ("contact" in ('never', 'connected', 'lost'));`,
    );

    this.addSql(
      `alter table "cluster_command" add constraint "cluster_command_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "cluster_command" add constraint "cluster_command_state_check" check ("state" in ('queued', 'delivered', 'done', 'failed', 'unknown', 'lost', 'cancelled', 'expired'));`,
    );
    this.addSql(
      `alter table "cluster_command" add constraint "cluster_command_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );

    this.addSql(
      `alter table "cluster_event" add constraint "cluster_event_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "cluster_event" add constraint "cluster_event_kind_check" check ("kind" in ('agent.enrolled', 'agent.connected', 'agent.lost', 'agent.reconnected', 'agent.superseded', 'agent.revoked', 'agent.update.started', 'agent.update.succeeded', 'agent.update.returned', 'agent.update.failed', 'cluster.degraded', 'cluster.recovered', 'workload.applied', 'workload.removed', 'workload.failed', 'workload.recovered'));`,
    );

    this.addSql(
      `alter table "cluster_slice" add constraint "cluster_slice_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "command_output" add constraint "command_output_organization_id_command_id_foreign" foreign key ("organization_id", "command_id") references "cluster_command" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "command_output" add constraint "command_output_stream_check" check ("stream" in ('stdout', 'stderr', 'progress'));`,
    );

    this.addSql(
      `alter table "enrollment_token" add constraint "enrollment_token_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "ingress_host" add constraint "ingress_host_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "observed_slice" add constraint "observed_slice_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "agent_update" drop constraint "agent_update_organization_id_cluster_id_foreign";`);
    this.addSql(`alter table "cluster_agent" drop constraint "cluster_agent_organization_id_cluster_id_foreign";`);
    this.addSql(`alter table "cluster_command" drop constraint "cluster_command_organization_id_cluster_id_foreign";`);
    this.addSql(`alter table "cluster_event" drop constraint "cluster_event_organization_id_cluster_id_foreign";`);
    this.addSql(`alter table "cluster_slice" drop constraint "cluster_slice_organization_id_cluster_id_foreign";`);
    this.addSql(
      `alter table "enrollment_token" drop constraint "enrollment_token_organization_id_cluster_id_foreign";`,
    );
    this.addSql(`alter table "ingress_host" drop constraint "ingress_host_organization_id_cluster_id_foreign";`);
    this.addSql(`alter table "observed_slice" drop constraint "observed_slice_organization_id_cluster_id_foreign";`);
    this.addSql(`alter table "command_output" drop constraint "command_output_organization_id_command_id_foreign";`);

    this.addSql(`drop table if exists "agent_release" cascade;`);
    this.addSql(`drop table if exists "agent_update" cascade;`);
    this.addSql(`drop table if exists "cluster" cascade;`);
    this.addSql(`drop table if exists "cluster_agent" cascade;`);
    this.addSql(`drop table if exists "cluster_command" cascade;`);
    this.addSql(`drop table if exists "cluster_event" cascade;`);
    this.addSql(`drop table if exists "cluster_slice" cascade;`);
    this.addSql(`drop table if exists "command_output" cascade;`);
    this.addSql(`drop table if exists "enrollment_token" cascade;`);
    this.addSql(`drop table if exists "ingress_host" cascade;`);
    this.addSql(`drop table if exists "observed_slice" cascade;`);

    this.addSql(`alter table "process" drop column "present_since";`);
  }
}
