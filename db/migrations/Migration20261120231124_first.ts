import { Migration } from '@mikro-orm/migrations';

export class Migration20261120231124_first extends Migration {
  override name = 'Migration20261120231124_first';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "api_token" ("id" uuid not null, "organization_id" uuid not null, "token_id" text not null, "secret_hash" bytea not null, "name" text not null, "role" text not null, "project_restricted" boolean not null default false, "created_by" text not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`alter table "api_token" add constraint "api_token_token_id_unique" unique ("token_id");`);
    this.addSql(
      `alter table "api_token" add constraint "api_token_organization_id_id_unique" unique ("organization_id", "id");`,
    );

    this.addSql(
      `create table "api_token_project" ("api_token_id" uuid not null, "project_id" uuid not null, "organization_id" uuid not null, primary key ("api_token_id", "project_id"));`,
    );
    this.addSql(
      `create index "api_token_project_organization_id_project_id_index" on "api_token_project" ("organization_id", "project_id");`,
    );

    this.addSql(
      `create table "app_user" ("id" uuid not null, "name" text not null, "email" text not null, "picture" text null, "disabled_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );

    this.addSql(
      `create table "audit_record" ("id" uuid not null, "organization_id" uuid null, "at" timestamptz(3) not null default now(), "action" text not null, "actor_kind" text not null, "actor_id" text not null, "actor_name" text not null, "ip" text null, "request_id" text null, "subject_kind" text not null, "subject_id" text not null, "subject_name" text null, "details" jsonb null, primary key ("id"));`,
    );
    this.addSql(
      `create index "audit_record_organization_id_at_id_index" on "audit_record" ("organization_id", "at", "id");`,
    );
    this.addSql(
      `create index "audit_record_organization_id_subject_index" on "audit_record" ("organization_id", "subject_kind", "subject_id", "at", "id");`,
    );
    this.addSql(
      `create index "audit_record_organization_id_actor_id_index" on "audit_record" ("organization_id", "actor_id", "at", "id");`,
    );

    this.addSql(
      `create table "change_feed" ("position" bigserial not null, "at" timestamptz(3) not null default clock_timestamp(), "transaction_id" xid8 not null default pg_current_xact_id(), "organization_id" uuid not null, "kind" text not null, "subject_id" text not null, "project_id" uuid null, primary key ("position", "at")) partition by range ("at");`,
    );
    // Takes what finds no partition of its day: an insert never fails for want of one. The days' partitions are made by
    // db/engine/feed/feed-partitions.ts.
    this.addSql(`create table "change_feed_default" partition of "change_feed" default;`);
    this.addSql(
      `create index "change_feed_transaction_id_position_index" on "change_feed" ("transaction_id", "position");`,
    );

    this.addSql(
      `create table "data_key" ("id" uuid not null, "purpose" text not null, "organization_id" uuid null, "kek_id" text not null, "wrapped" bytea not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`alter table "data_key" add constraint "data_key_organization_id_unique" unique ("organization_id");`);
    this.addSql(
      `create unique index "data_key_purpose_unique" on "data_key" ("purpose") where organization_id is null;`,
    );

    this.addSql(
      `create table "deletion" ("id" uuid not null, "organization_id" uuid not null, "kind" text not null, "name" text not null, "slug" text not null, "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "state" text not null default 'retained', "revision" int not null default 0, "message" text null, "blocker" text null, "created_at" timestamptz(3) not null default now(), "restore_until" timestamptz(3) not null, "purge_requested_at" timestamptz(3) null, "purge_started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "deletion_organization_id_index" on "deletion" ("organization_id");`);
    this.addSql(`create index "deletion_open_index" on "deletion" ("created_at") where finished_at is null;`);
    this.addSql(
      `create index "deletion_without_archive_index" on "deletion" ("finished_at") where finished_at is not null and archived_at is null;`,
    );

    this.addSql(
      `create table "history_archive" ("actor_id" text not null, "run_id" text not null, "page" int not null, "organization_id" uuid not null, "bytes" bytea not null, "created_at" timestamptz(3) not null default now(), primary key ("actor_id", "run_id", "page"));`,
    );
    this.addSql(`create index "history_archive_organization_id_index" on "history_archive" ("organization_id");`);

    this.addSql(
      `create table "idempotent_answer" ("credential_id" text not null, "operation" text not null, "key" text not null, "request_hash" bytea not null, "status" int not null, "body" text null, "subject_id" text null, "created_at" timestamptz(3) not null default now(), primary key ("credential_id", "operation", "key"));`,
    );
    this.addSql(`create index "idempotent_answer_created_at_index" on "idempotent_answer" ("created_at");`);

    this.addSql(
      `create table "installation" ("id" uuid not null, "single" boolean not null default true, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`alter table "installation" add constraint "installation_single_unique" unique ("single");`);

    this.addSql(
      `create table "membership" ("organization_id" uuid not null, "user_id" uuid not null, "role" text not null, "created_at" timestamptz(3) not null default now(), "last_active_at" timestamptz(3) null, primary key ("organization_id", "user_id"));`,
    );
    this.addSql(`create index "membership_user_id_index" on "membership" ("user_id");`);

    this.addSql(
      `create table "organization" ("id" uuid not null, "name" text not null, "slug" text not null, "default_cluster_id" uuid null, "build_registry_credential_id" uuid null, "build_repository_prefix" text null, "require_mfa" boolean not null default false, "deleted_retention_hours" int not null default 168, "join_token_ttl_seconds" int not null default 3600, "created_at" timestamptz(3) not null default now(), "deletion_id" uuid null, primary key ("id"));`,
    );
    this.addSql(`create unique index "organization_slug_unique" on "organization" ("slug") where deletion_id is null;`);
    this.addSql(`alter table "organization" add constraint "organization_deletion_id_unique" unique ("deletion_id");`);

    this.addSql(
      `create table "outbox" ("id" bigserial primary key, "actor_id" text not null, "organization_id" uuid not null, "kind" text not null, "message" text null, "body" jsonb not null, "author" jsonb not null, "trace" jsonb null, "attempts" int not null default 0, "next_attempt_at" timestamptz(3) not null default now(), "last_error" text null, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "outbox_actor_id_id_index" on "outbox" ("actor_id", "id");`);
    this.addSql(`create index "outbox_next_attempt_at_index" on "outbox" ("next_attempt_at", "id");`);
    this.addSql(`create index "outbox_organization_id_index" on "outbox" ("organization_id");`);
    this.addSql(`create index "outbox_poisoned_index" on "outbox" ("id") where attempts >= 10;`);

    this.addSql(
      `create table "process" ("id" uuid not null, "kind" text not null, "version" text not null, "state" jsonb not null, "started_at" timestamptz(3) not null default now(), "seen_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );

    this.addSql(
      `create table "rate_permit" ("key" text not null, "window_start" timestamptz(3) not null, "taken" int not null, "granted" int not null, primary key ("key", "window_start"));`,
    );
    this.addSql(`create index "rate_permit_window_start_index" on "rate_permit" ("window_start");`);

    this.addSql(
      `create table "session" ("id" uuid not null, "secret_hash" bytea not null, "user_id" uuid not null, "ip" text null, "user_agent" text null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "idle_expires_at" timestamptz(3) null, "ended_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`alter table "session" add constraint "session_secret_hash_unique" unique ("secret_hash");`);
    this.addSql(`create index "session_user_id_index" on "session" ("user_id");`);

    this.addSql(
      `create table "stream_lease" ("credential" text not null, "kind" text not null, "slot" int not null, "id" uuid not null, "holder" text not null, "expires_at" timestamptz(3) not null, primary key ("credential", "kind", "slot"));`,
    );
    this.addSql(`alter table "stream_lease" add constraint "stream_lease_id_unique" unique ("id");`);
    this.addSql(`create index "stream_lease_expires_at_index" on "stream_lease" ("expires_at");`);

    this.addSql(
      `create table "team" ("id" uuid not null, "organization_id" uuid not null, "name" text not null, "slug" text not null, "scim_managed" boolean not null default false, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`alter table "team" add constraint "team_organization_id_id_unique" unique ("organization_id", "id");`);
    this.addSql(
      `alter table "team" add constraint "team_organization_id_slug_unique" unique ("organization_id", "slug");`,
    );
    this.addSql(`create unique index "team_organization_id_name_unique" on "team" ("organization_id", lower("name"));`);

    this.addSql(
      `create table "team_member" ("team_id" uuid not null, "user_id" uuid not null, "organization_id" uuid not null, "created_at" timestamptz(3) not null default now(), primary key ("team_id", "user_id"));`,
    );
    this.addSql(
      `create index "team_member_organization_id_user_id_index" on "team_member" ("organization_id", "user_id");`,
    );

    this.addSql(
      `alter table "api_token" add constraint "api_token_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "api_token" add constraint "api_token_role_check" check ("role" in ('viewer', 'deployer', 'admin'));`,
    );

    this.addSql(
      `alter table "api_token_project" add constraint "api_token_project_organization_id_api_token_id_foreign" foreign key ("organization_id", "api_token_id") references "api_token" ("organization_id", "id") on delete cascade;`,
    );

    this.addSql(
      `alter table "audit_record" add constraint "audit_record_actor_kind_check" check ("actor_kind" in ('user', 'token', 'machine', 'actor'));`,
    );

    this.addSql(
      `alter table "data_key" add constraint "data_key_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "data_key" add constraint "data_key_owner_check" check ((purpose = 'secrets') = (organization_id is not null));`,
    );
    this.addSql(
      `alter table "data_key" add constraint "data_key_purpose_check" check ("purpose" in ('secrets', 'payloads', 'cursors'));`,
    );

    this.addSql(`alter table "deletion" add constraint "deletion_kind_check" check ("kind" in ('organization'));`);
    this.addSql(
      `alter table "deletion" add constraint "deletion_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );
    this.addSql(
      `alter table "deletion" add constraint "deletion_state_check" check ("state" in ('retained', 'purging', 'purged', 'restored', 'failed'));`,
    );

    this.addSql(`alter table "installation" add constraint "installation_single_check" check (single);`);

    this.addSql(
      `alter table "membership" add constraint "membership_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "membership" add constraint "membership_user_id_foreign" foreign key ("user_id") references "app_user" ("id");`,
    );
    this.addSql(
      `alter table "membership" add constraint "membership_role_check" check ("role" in ('viewer', 'deployer', 'admin', 'owner'));`,
    );

    this.addSql(
      `alter table "organization" add constraint "organization_deletion_id_foreign" foreign key ("deletion_id") references "deletion" ("id");`,
    );
    this.addSql(
      `alter table "organization" add constraint "organization_deleted_retention_hours_check" check (deleted_retention_hours >= 0);`,
    );
    this.addSql(
      `alter table "organization" add constraint "organization_join_token_ttl_seconds_check" check (join_token_ttl_seconds > 0);`,
    );

    this.addSql(
      `alter table "outbox" add constraint "outbox_message_check" check ((kind = 'message') = (message is not null));`,
    );
    this.addSql(`alter table "outbox" add constraint "outbox_kind_check" check ("kind" in ('start', 'message'));`);

    this.addSql(`alter table "process" add constraint "process_kind_check" check ("kind" in ('api', 'worker'));`);

    this.addSql(
      `alter table "session" add constraint "session_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "team" add constraint "team_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );

    this.addSql(
      `alter table "team_member" add constraint "team_member_organization_id_team_id_foreign" foreign key ("organization_id", "team_id") references "team" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "team_member" add constraint "team_member_organization_id_user_id_foreign" foreign key ("organization_id", "user_id") references "membership" ("organization_id", "user_id") on delete cascade;`,
    );
  }
}
