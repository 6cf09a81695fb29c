import { Migration } from '@mikro-orm/migrations';

export class Migration20261124044049_build_repository_config extends Migration {
  override name = 'Migration20261124044049_build_repository_config';

  override up(): void | Promise<void> {
    this.addSql(`alter table "build" add "repository_config" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "build" drop column "repository_config";`);
  }
}
