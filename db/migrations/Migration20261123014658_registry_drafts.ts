import { Migration } from '@mikro-orm/migrations';

export class Migration20261123014658_registry_drafts extends Migration {
  override name = 'Migration20261123014658_registry_drafts';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "registry_draft" ("name" text not null, "bytes" bigint not null default '0', "parts" jsonb not null default '[]', "sha256" text null, "changed_at" timestamptz(3) not null default now(), primary key ("name"));`,
    );
    this.addSql(`create index "registry_draft_changed_at_index" on "registry_draft" ("changed_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "registry_draft" cascade;`);
  }
}
