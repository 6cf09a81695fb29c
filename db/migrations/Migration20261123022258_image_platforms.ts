import { Migration } from '@mikro-orm/migrations';

export class Migration20261123022258_image_platforms extends Migration {
  override name = 'Migration20261123022258_image_platforms';

  override up(): void | Promise<void> {
    this.addSql(`alter table "release" add "image_platforms" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "release" drop column "image_platforms";`);
  }
}
