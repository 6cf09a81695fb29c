import { Migration } from '@mikro-orm/migrations';

export class Migration20261129185524_object_stores extends Migration {
  override name = 'Migration20261129185524_object_stores';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "object_store" ("id" uuid not null, "organization_id" uuid not null, "name" text not null, "endpoint" text not null, "region" text not null, "bucket" text not null, "prefix" text not null default '', "force_path_style" boolean not null, "access_key_id" text not null, "sealed" bytea not null, "certificate_authority" text not null default '', "last_error" text not null default '', "verified_at" timestamptz(3) null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "object_store_page_index" on "object_store" ("organization_id", "created_at", "id");`);
    this.addSql(
      `alter table "object_store" add constraint "object_store_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "object_store_organization_id_name_unique" on "object_store" ("organization_id", lower("name"));`,
    );

    this.addSql(
      `alter table "object_store" add constraint "object_store_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "object_store" cascade;`);
  }
}
