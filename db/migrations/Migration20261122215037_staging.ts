import { Migration } from '@mikro-orm/migrations';

export class Migration20261122215037_staging extends Migration {
  override name = 'Migration20261122215037_staging';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "registry_credential" ("id" uuid not null, "organization_id" uuid not null, "name" text not null, "host" text not null, "username" text not null, "sealed" bytea not null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "registry_credential_page_index" on "registry_credential" ("organization_id", "created_at", "id");`,
    );
    this.addSql(
      `alter table "registry_credential" add constraint "registry_credential_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "registry_credential_organization_id_name_unique" on "registry_credential" ("organization_id", lower("name"));`,
    );

    this.addSql(`alter table "change_set_item" add "revision" int not null default 0;`);

    this.addSql(
      `alter table "registry_credential" add constraint "registry_credential_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "registry_credential" cascade;`);

    this.addSql(`alter table "change_set_item" drop column "revision";`);
  }
}
