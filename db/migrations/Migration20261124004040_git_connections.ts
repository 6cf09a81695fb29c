import { Migration } from '@mikro-orm/migrations';

export class Migration20261124004040_git_connections extends Migration {
  override name = 'Migration20261124004040_git_connections';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "git_connection" ("id" uuid not null, "organization_id" uuid not null, "kind" text not null, "provider" text not null, "host" text not null, "label" text not null, "account_login" text not null default '', "sealed" bytea not null, "sealed_webhook" bytea not null, "missing_permissions" text[] not null default '{}', "last_error" text not null default '', "last_delivery_status" text not null default '', "last_delivery_at" timestamptz(3) null, "verified_at" timestamptz(3) null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "git_connection_page_index" on "git_connection" ("organization_id", "created_at", "id");`,
    );
    this.addSql(
      `alter table "git_connection" add constraint "git_connection_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "git_connection_organization_id_label_unique" on "git_connection" ("organization_id", lower("label"));`,
    );

    this.addSql(
      `create table "git_delivery" ("git_connection_id" uuid not null, "name" text not null, "organization_id" uuid not null, "received_at" timestamptz(3) not null default now(), primary key ("git_connection_id", "name"));`,
    );
    this.addSql(`create index "git_delivery_received_at_index" on "git_delivery" ("received_at");`);

    this.addSql(
      `alter table "build" add "git_url" text not null default '', add "git_connection_id" uuid null, add "git_ref" text not null default '', add "superseded_by" uuid null, add "change_set_id" uuid null;`,
    );
    this.addSql(
      `create index "build_change_set_id_index" on "build" ("change_set_id") where change_set_id is not null;`,
    );

    this.addSql(
      `alter table "git_connection" add constraint "git_connection_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "git_connection" add constraint "git_connection_kind_check" check ("kind" in ('hosted-token', 'selfhosted-token'));`,
    );
    this.addSql(
      `alter table "git_connection" add constraint "git_connection_provider_check" check ("provider" in ('github', 'gitlab', 'gitea', 'plain'));`,
    );

    this.addSql(
      `alter table "git_delivery" add constraint "git_delivery_organization_id_git_connection_id_foreign" foreign key ("organization_id", "git_connection_id") references "git_connection" ("organization_id", "id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "git_delivery" drop constraint "git_delivery_organization_id_git_connection_id_foreign";`);

    this.addSql(`drop table if exists "git_connection" cascade;`);
    this.addSql(`drop table if exists "git_delivery" cascade;`);

    this.addSql(`drop index "build_change_set_id_index";`);
    this.addSql(
      `alter table "build" drop column "git_url", drop column "git_connection_id", drop column "git_ref", drop column "superseded_by", drop column "change_set_id";`,
    );
  }
}
