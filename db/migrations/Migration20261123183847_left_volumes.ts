import { Migration } from '@mikro-orm/migrations';

export class Migration20261123183847_left_volumes extends Migration {
  override name = 'Migration20261123183847_left_volumes';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "left_volume" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid not null, "environment_id" uuid not null, "service_id" uuid not null, "volume_id" uuid not null, "cluster_id" uuid not null, "deletion_id" uuid not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "left_volume_organization_id_project_id_index" on "left_volume" ("organization_id", "project_id");`,
    );
    this.addSql(
      `create index "left_volume_organization_id_service_id_index" on "left_volume" ("organization_id", "service_id");`,
    );
    this.addSql(
      `create index "left_volume_organization_id_environment_id_index" on "left_volume" ("organization_id", "environment_id");`,
    );
    this.addSql(
      `create index "left_volume_organization_id_volume_id_index" on "left_volume" ("organization_id", "volume_id");`,
    );
    this.addSql(
      `alter table "left_volume" add constraint "left_volume_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "left_volume" add constraint "left_volume_place_unique" unique ("environment_id", "volume_id", "cluster_id");`,
    );

    this.addSql(`alter table "volume" drop constraint "volume_organization_id_process_id_foreign";`);

    this.addSql(`alter table "deletion" drop constraint "deletion_kind_check";`);
    this.addSql(
      `alter table "deletion" add constraint "deletion_kind_check" check ("kind" in ('organization', 'service', 'database', 'volume', 'environment', 'project', 'left-volume'));`,
    );

    this.addSql(
      `alter table "left_volume" add constraint "left_volume_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "left_volume" add constraint "left_volume_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "left_volume" add constraint "left_volume_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "left_volume" add constraint "left_volume_organization_id_volume_id_foreign" foreign key ("organization_id", "volume_id") references "volume" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "left_volume" add constraint "left_volume_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "left_volume" cascade;`);
    this.addSql(`delete from "deletion" where "kind" = 'left-volume';`);
    this.addSql(
      `delete from "volume" where not exists (select from "service_process" where "service_process"."id" = "volume"."process_id");`,
    );

    this.addSql(`alter table "deletion" drop constraint "deletion_kind_check";`);
    this.addSql(
      `alter table "deletion" add constraint "deletion_kind_check" check ("kind" in ('organization', 'service', 'database', 'volume', 'environment', 'project'));`,
    );

    this.addSql(
      `alter table "volume" add constraint "volume_organization_id_process_id_foreign" foreign key ("organization_id", "process_id") references "service_process" ("organization_id", "id") on update no action on delete cascade;`,
    );
  }
}
