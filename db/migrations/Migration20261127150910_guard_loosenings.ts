import { Migration } from '@mikro-orm/migrations';

export class Migration20261127150910_guard_loosenings extends Migration {
  override name = 'Migration20261127150910_guard_loosenings';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "guard_loosening" ("id" uuid not null, "organization_id" uuid not null, "project_id" uuid null, "guard" text not null, "subject_id" uuid not null, "subject_name" text not null, "before" jsonb null, "after" jsonb not null, "by_kind" text not null, "by_id" text not null, "by_name" text not null, "created_at" timestamptz(3) not null default now(), "ended_at" timestamptz(3) null, "ended_by_name" text null, "undone" boolean not null default false, primary key ("id"));`,
    );
    this.addSql(
      `create index "guard_loosening_page_index" on "guard_loosening" ("organization_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "guard_loosening_open_index" on "guard_loosening" ("organization_id", "guard", "subject_id") where ended_at is null;`,
    );

    this.addSql(
      `create index "deployment_started_index" on "deployment" ("organization_id", "started_at") where started_at is not null;`,
    );

    this.addSql(
      `alter table "guard_loosening" add constraint "guard_loosening_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "guard_loosening" add constraint "guard_loosening_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "guard_loosening" add constraint "guard_loosening_guard_check" check ("guard" in ('production', 'skip-approval', 'trusted-issuer', 'role'));`,
    );
    this.addSql(
      `alter table "guard_loosening" add constraint "guard_loosening_by_kind_check" check ("by_kind" in ('user', 'token', 'machine', 'actor'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "guard_loosening" cascade;`);

    this.addSql(`drop index "deployment_started_index";`);
  }
}
