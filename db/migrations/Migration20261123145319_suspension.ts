import { Migration } from '@mikro-orm/migrations';

export class Migration20261123145319_suspension extends Migration {
  override name = 'Migration20261123145319_suspension';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "environment_service" add "suspended_at" timestamptz(3) null, add "suspended_by" text null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "environment_service" drop column "suspended_at", drop column "suspended_by";`);
  }
}
