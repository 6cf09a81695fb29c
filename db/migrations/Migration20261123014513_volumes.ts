import { Migration } from '@mikro-orm/migrations';

export class Migration20261123014513_volumes extends Migration {
  override name = 'Migration20261123014513_volumes';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "volume" ("id" uuid not null, "organization_id" uuid not null, "service_id" uuid not null, "process_id" uuid not null, "name" text not null, "mount_path" text not null, "size_bytes" bigint not null, "storage_class" text not null default '', "created_at" timestamptz(3) not null default now(), "removed_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "volume_organization_id_service_id_index" on "volume" ("organization_id", "service_id");`,
    );
    this.addSql(`create index "volume_process_id_index" on "volume" ("process_id");`);
    this.addSql(
      `alter table "volume" add constraint "volume_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "volume_name_unique" on "volume" ("service_id", "name") where removed_at is null;`,
    );

    this.addSql(`alter table "environment_service" add "downtime_accepted" text[] not null default '{}';`);

    this.addSql(
      `alter table "volume" add constraint "volume_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "volume" add constraint "volume_organization_id_process_id_foreign" foreign key ("organization_id", "process_id") references "service_process" ("organization_id", "id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "volume" cascade;`);

    this.addSql(`alter table "environment_service" drop column "downtime_accepted";`);
  }
}
