import { Migration } from '@mikro-orm/migrations';

export class Migration20261122220755_registry extends Migration {
  override name = 'Migration20261122220755_registry';

  override up(): void | Promise<void> {
    // Images are pushed to `/v2/`: an organization of that slug gets another one.
    this.addSql(`update "organization" set "slug" = "slug" || '-' || right("id"::text, 8) where "slug" = 'v2';`);
    this.addSql(
      `create table "registry_blob" ("digest" text not null, "size" bigint not null, "stored_at" timestamptz(3) not null default now(), "touched_at" timestamptz(3) not null default now(), primary key ("digest"));`,
    );
    this.addSql(`create index "registry_blob_touched_at_index" on "registry_blob" ("touched_at");`);

    this.addSql(
      `create table "registry_link" ("service_id" uuid not null, "digest" text not null, "organization_id" uuid not null, "touched_at" timestamptz(3) not null default now(), primary key ("service_id", "digest"));`,
    );
    this.addSql(`create index "registry_link_digest_index" on "registry_link" ("digest");`);
    this.addSql(
      `create index "registry_link_organization_id_service_id_index" on "registry_link" ("organization_id", "service_id");`,
    );
    this.addSql(`create index "registry_link_touched_at_index" on "registry_link" ("touched_at");`);

    this.addSql(
      `create table "registry_manifest" ("service_id" uuid not null, "digest" text not null, "organization_id" uuid not null, "media_type" text not null, "content" bytea not null, "size" int not null, "config" jsonb null, "subject" text null, "artifact_type" text not null default '', "annotations" jsonb null, "pushed_at" timestamptz(3) not null default now(), "touched_at" timestamptz(3) not null default now(), primary key ("service_id", "digest"));`,
    );
    this.addSql(
      `create index "registry_manifest_organization_id_service_id_index" on "registry_manifest" ("organization_id", "service_id");`,
    );
    this.addSql(
      `create index "registry_manifest_subject_index" on "registry_manifest" ("service_id", "subject", "digest") where subject is not null;`,
    );
    this.addSql(`create index "registry_manifest_touched_at_index" on "registry_manifest" ("touched_at");`);
    this.addSql(
      `alter table "registry_manifest" add constraint "registry_manifest_organization_id_service_id_digest_unique" unique ("organization_id", "service_id", "digest");`,
    );

    this.addSql(
      `create table "registry_reference" ("service_id" uuid not null, "manifest" text not null, "digest" text not null, "organization_id" uuid not null, primary key ("service_id", "manifest", "digest"));`,
    );
    this.addSql(
      `create index "registry_reference_digest_index" on "registry_reference" ("organization_id", "service_id", "digest");`,
    );

    this.addSql(
      `create table "registry_tag" ("service_id" uuid not null, "name" text not null, "organization_id" uuid not null, "digest" text not null, "updated_at" timestamptz(3) not null default now(), primary key ("service_id", "name"));`,
    );
    this.addSql(
      `create index "registry_tag_digest_index" on "registry_tag" ("organization_id", "service_id", "digest");`,
    );

    this.addSql(
      `create table "registry_upload" ("id" uuid not null, "organization_id" uuid not null, "service_id" uuid not null, "draft" text not null, "received" bigint not null default '0', "created_at" timestamptz(3) not null default now(), "touched_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "registry_upload_organization_id_service_id_index" on "registry_upload" ("organization_id", "service_id");`,
    );
    this.addSql(`create index "registry_upload_touched_at_index" on "registry_upload" ("touched_at");`);

    this.addSql(
      `alter table "registry_link" add constraint "registry_link_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id") on delete cascade;`,
    );

    this.addSql(
      `alter table "registry_manifest" add constraint "registry_manifest_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id") on delete cascade;`,
    );

    this.addSql(
      `alter table "registry_reference" add constraint "registry_reference_organization_id_service_id_manifest_foreign" foreign key ("organization_id", "service_id", "manifest") references "registry_manifest" ("organization_id", "service_id", "digest") on delete cascade;`,
    );

    this.addSql(
      `alter table "registry_tag" add constraint "registry_tag_organization_id_service_id_digest_foreign" foreign key ("organization_id", "service_id", "digest") references "registry_manifest" ("organization_id", "service_id", "digest") on delete cascade;`,
    );

    this.addSql(
      `alter table "registry_upload" add constraint "registry_upload_organization_id_service_id_foreign" foreign key ("organization_id", "service_id") references "service" ("organization_id", "id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "registry_reference" drop constraint "registry_reference_organization_id_service_id_manifest_foreign";`,
    );
    this.addSql(`alter table "registry_tag" drop constraint "registry_tag_organization_id_service_id_digest_foreign";`);

    this.addSql(`drop table if exists "registry_blob" cascade;`);
    this.addSql(`drop table if exists "registry_link" cascade;`);
    this.addSql(`drop table if exists "registry_manifest" cascade;`);
    this.addSql(`drop table if exists "registry_reference" cascade;`);
    this.addSql(`drop table if exists "registry_tag" cascade;`);
    this.addSql(`drop table if exists "registry_upload" cascade;`);
  }
}
