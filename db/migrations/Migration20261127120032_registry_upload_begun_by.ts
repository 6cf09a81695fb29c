import { Migration } from '@mikro-orm/migrations';

export class Migration20261127120032_registry_upload_begun_by extends Migration {
  override name = 'Migration20261127120032_registry_upload_begun_by';

  override up(): void | Promise<void> {
    this.addSql(`alter table "registry_upload" add "begun_by" text not null default '';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "registry_upload" drop column "begun_by";`);
  }
}
