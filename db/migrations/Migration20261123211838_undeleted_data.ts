import { Migration } from '@mikro-orm/migrations';

export class Migration20261123211838_undeleted_data extends Migration {
  override name = 'Migration20261123211838_undeleted_data';

  override up(): void | Promise<void> {
    this.addSql(`alter table "deletion" add "undeleted" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "deletion" drop column "undeleted";`);
  }
}
