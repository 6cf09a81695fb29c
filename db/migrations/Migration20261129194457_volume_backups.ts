import { Migration } from '@mikro-orm/migrations';

export class Migration20261129194457_volume_backups extends Migration {
  override name = 'Migration20261129194457_volume_backups';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "object_store" ("id" uuid not null, "organization_id" uuid not null, "name" text not null, "endpoint" text not null, "region" text not null, "bucket" text not null, "prefix" text not null default '', "force_path_style" boolean not null, "access_key_id" text not null, "sealed" bytea not null, "certificate_authority" text not null default '', "last_error" text not null default '', "verified_at" timestamptz(3) null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), "deleted_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "object_store_page_index" on "object_store" ("organization_id", "created_at", "id");`);
    this.addSql(
      `alter table "object_store" add constraint "object_store_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "object_store_organization_id_name_unique" on "object_store" ("organization_id", lower("name")) where "deleted_at" is null;`,
    );

    this.addSql(
      `create table "volume_backup" ("id" uuid not null, "organization_id" uuid not null, "revision" int not null default 0, "message" text null, "blocker" text null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, "project_id" uuid not null, "environment_id" uuid not null, "service_id" uuid not null, "volume_id" uuid not null, "environment_name" text not null, "service_name" text not null, "volume_name" text not null, "cluster_id" uuid not null, "object_store_id" uuid not null, "object_key" text not null, "method" text not null, "state" text not null default 'queued', "cancel_requested_at" timestamptz(3) null, "started_at" timestamptz(3) null, "archive_bytes" bigint not null default '0', "stored_bytes" bigint not null default '0', "volume_bytes" bigint not null default '0', "sha256" text not null default '', "size_bytes" bigint not null default '0', "warnings" jsonb not null default '[]', "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "deleted_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "volume_backup_page_index" on "volume_backup" ("organization_id", "volume_id", "created_at", "id");`,
    );
    this.addSql(`create index "volume_backup_all_index" on "volume_backup" ("organization_id", "created_at", "id");`);
    this.addSql(
      `create index "volume_backup_open_index" on "volume_backup" ("cluster_id", "created_at") where finished_at is null;`,
    );
    this.addSql(`create index "volume_backup_object_store_id_index" on "volume_backup" ("object_store_id");`);
    this.addSql(
      `create index "volume_backup_without_archive_index" on "volume_backup" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(
      `alter table "volume_backup" add constraint "volume_backup_organization_id_id_unique" unique ("organization_id", "id");`,
    );

    this.addSql(`alter table "cluster_command" add "stored" jsonb null;`);

    this.addSql(
      `alter table "object_store" add constraint "object_store_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );

    this.addSql(
      `alter table "volume_backup" add constraint "volume_backup_organization_id_object_store_id_foreign" foreign key ("organization_id", "object_store_id") references "object_store" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "volume_backup" add constraint "volume_backup_method_check" check ("method" in ('archive'));`,
    );
    this.addSql(
      `alter table "volume_backup" add constraint "volume_backup_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed', 'cancelled'));`,
    );
    this.addSql(
      `alter table "volume_backup" add constraint "volume_backup_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "volume_backup" drop constraint "volume_backup_organization_id_object_store_id_foreign";`);

    this.addSql(`drop table if exists "object_store" cascade;`);
    this.addSql(`drop table if exists "volume_backup" cascade;`);

    this.addSql(`alter table "cluster_command" drop column "stored";`);
  }
}
