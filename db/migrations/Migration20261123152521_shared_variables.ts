import { Migration } from '@mikro-orm/migrations';

export class Migration20261123152521_shared_variables extends Migration {
  override name = 'Migration20261123152521_shared_variables';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "shared_variable" ("environment_id" uuid not null, "key" text not null, "organization_id" uuid not null, "value" text not null default '', "sealed" bytea null, "refers" text[] null, "updated_at" timestamptz(3) not null default now(), "updated_by" text not null, primary key ("environment_id", "key"));`,
    );
    this.addSql(
      `create index "shared_variable_organization_id_environment_id_index" on "shared_variable" ("organization_id", "environment_id");`,
    );

    this.addSql(`alter table "change_set_item" add "refers" text[] null;`);

    this.addSql(`alter table "variable" add "refers" text[] null;`);

    this.addSql(
      `alter table "shared_variable" add constraint "shared_variable_organization_id_environment_id_foreign" foreign key ("organization_id", "environment_id") references "environment" ("organization_id", "id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "shared_variable" cascade;`);

    this.addSql(`alter table "change_set_item" drop column "refers";`);

    this.addSql(`alter table "variable" drop column "refers";`);
  }
}
