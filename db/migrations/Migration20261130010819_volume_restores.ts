import { Migration } from '@mikro-orm/migrations';

export class Migration20261130010819_volume_restores extends Migration {
  override name = 'Migration20261130010819_volume_restores';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "volume_restore" ("id" uuid not null, "organization_id" uuid not null, "revision" int not null default 0, "message" text null, "blocker" text null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, "project_id" uuid not null, "environment_id" uuid not null, "service_id" uuid not null, "volume_id" uuid not null, "environment_name" text not null, "service_name" text not null, "volume_name" text not null, "cluster_id" uuid not null, "method" text not null, "state" text not null default 'queued', "cancel_requested_at" timestamptz(3) null, "started_at" timestamptz(3) null, "requested_by_kind" text not null, "requested_by_id" text not null, "requested_by_name" text not null, "source_backup_id" uuid null, "kept_by_restore_id" uuid null, "fetched_bytes" bigint not null default '0', "archive_bytes" bigint not null default '0', "replacing" boolean not null default false, "stopped_millis" int null, primary key ("id"));`,
    );
    this.addSql(
      `create index "volume_restore_page_index" on "volume_restore" ("organization_id", "volume_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "volume_restore_open_index" on "volume_restore" ("cluster_id", "created_at") where finished_at is null;`,
    );
    this.addSql(
      `create index "volume_restore_without_archive_index" on "volume_restore" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(
      `create index "volume_restore_source_index" on "volume_restore" ("source_backup_id") where finished_at is null;`,
    );
    this.addSql(
      `alter table "volume_restore" add constraint "volume_restore_organization_id_id_unique" unique ("organization_id", "id");`,
    );

    this.addSql(
      `alter table "volume_backup" add "quiesce" boolean not null default false, add "stopped_millis" int null;`,
    );

    this.addSql(`alter table "left_volume" add "restore_id" uuid null;`);
    this.addSql(`alter table "left_volume" drop constraint "left_volume_place_unique";`);
    this.addSql(
      `create unique index "left_volume_place_unique" on "left_volume" ("environment_id", "volume_id", "cluster_id") where "restore_id" is null;`,
    );

    this.addSql(
      `alter table "volume_restore" add constraint "volume_restore_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "volume_restore" add constraint "volume_restore_method_check" check ("method" in ('archive'));`,
    );
    this.addSql(
      `alter table "volume_restore" add constraint "volume_restore_state_check" check ("state" in ('queued', 'running', 'succeeded', 'failed', 'cancelled'));`,
    );
    this.addSql(
      `alter table "volume_restore" add constraint "volume_restore_requested_by_kind_check" check ("requested_by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "volume_restore" cascade;`);

    this.addSql(`alter table "volume_backup" drop column "quiesce", drop column "stopped_millis";`);

    this.addSql(`drop index "left_volume_place_unique";`);
    this.addSql(`delete from "left_volume" where "restore_id" is not null;`);
    this.addSql(`alter table "left_volume" drop column "restore_id";`);
    this.addSql(
      `alter table "left_volume" add constraint "left_volume_place_unique" unique ("environment_id", "volume_id", "cluster_id");`,
    );
  }
}
