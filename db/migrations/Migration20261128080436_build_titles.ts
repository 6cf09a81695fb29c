import { Migration } from '@mikro-orm/migrations';

export class Migration20261128080436_build_titles extends Migration {
  override name = 'Migration20261128080436_build_titles';

  override up(): void | Promise<void> {
    this.addSql(`alter table "build" add "title" text not null default '';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "build" drop column "title";`);
  }
}
