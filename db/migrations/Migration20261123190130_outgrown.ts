import { Migration } from '@mikro-orm/migrations';

export class Migration20261123190130_outgrown extends Migration {
  override name = 'Migration20261123190130_outgrown';

  override up(): void | Promise<void> {
    this.addSql(`alter table "environment_service" add "outgrown" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "environment_service" drop column "outgrown";`);
  }
}
