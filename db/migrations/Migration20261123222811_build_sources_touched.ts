import { Migration } from '@mikro-orm/migrations';

export class Migration20261123222811_build_sources_touched extends Migration {
  override name = 'Migration20261123222811_build_sources_touched';

  override up(): void | Promise<void> {
    this.addSql(`drop index "build_source_created_at_index";`);
    this.addSql(`drop index "build_source_service_id_index";`);
    this.addSql(`alter table "build_source" add "touched_at" timestamptz(3) not null default now();`);
    this.addSql(`create index "build_source_touched_at_index" on "build_source" ("touched_at");`);
    this.addSql(
      `alter table "build_source" add constraint "build_source_service_id_digest_unique" unique ("service_id", "digest");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "build_source_touched_at_index";`);
    this.addSql(`alter table "build_source" drop constraint "build_source_service_id_digest_unique";`);
    this.addSql(`alter table "build_source" drop column "touched_at";`);
    this.addSql(`create index "build_source_created_at_index" on "build_source" ("created_at");`);
    this.addSql(`create index "build_source_service_id_index" on "build_source" ("service_id", "created_at");`);
  }
}
