import { Migration } from '@mikro-orm/migrations';

export class Migration20261128003000_deployment_warnings extends Migration {
  override name = 'Migration20261128003000_deployment_warnings';

  override up(): void | Promise<void> {
    this.addSql(`alter table "deployment" add "warnings" jsonb not null default '[]';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "deployment" drop column "warnings";`);
  }
}
