import { Migration } from '@mikro-orm/migrations';

export class Migration20261123075305_agent_updates_told extends Migration {
  override name = 'Migration20261123075305_agent_updates_told';

  override up(): void | Promise<void> {
    this.addSql(`alter table "cluster_agent" add "update_told_for" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "cluster_agent" drop column "update_told_for";`);
  }
}
