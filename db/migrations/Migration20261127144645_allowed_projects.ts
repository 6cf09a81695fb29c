import { Migration } from '@mikro-orm/migrations';

export class Migration20261127144645_allowed_projects extends Migration {
  override name = 'Migration20261127144645_allowed_projects';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "git_allowed_project" ("git_connection_id" uuid not null, "project_id" uuid not null, "organization_id" uuid not null, primary key ("git_connection_id", "project_id"));`,
    );
    this.addSql(
      `create index "git_allowed_project_organization_id_project_id_index" on "git_allowed_project" ("organization_id", "project_id");`,
    );

    this.addSql(
      `create table "registry_allowed_project" ("credential_id" uuid not null, "project_id" uuid not null, "organization_id" uuid not null, primary key ("credential_id", "project_id"));`,
    );
    this.addSql(
      `create index "registry_allowed_project_organization_id_project_id_index" on "registry_allowed_project" ("organization_id", "project_id");`,
    );

    this.addSql(`alter table "git_connection" add "all_projects" boolean not null default true;`);

    this.addSql(`alter table "registry_credential" add "all_projects" boolean not null default true;`);

    this.addSql(
      `alter table "git_allowed_project" add constraint "git_allowed_project_organization_id_git_connection_id_foreign" foreign key ("organization_id", "git_connection_id") references "git_connection" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "git_allowed_project" add constraint "git_allowed_project_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id") on delete cascade;`,
    );

    this.addSql(
      `alter table "registry_allowed_project" add constraint "registry_allowed_project_organization_id_credential_id_foreign" foreign key ("organization_id", "credential_id") references "registry_credential" ("organization_id", "id") on delete cascade;`,
    );
    this.addSql(
      `alter table "registry_allowed_project" add constraint "registry_allowed_project_organization_id_project_id_foreign" foreign key ("organization_id", "project_id") references "project" ("organization_id", "id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "git_allowed_project" cascade;`);
    this.addSql(`drop table if exists "registry_allowed_project" cascade;`);

    this.addSql(`alter table "git_connection" drop column "all_projects";`);

    this.addSql(`alter table "registry_credential" drop column "all_projects";`);
  }
}
