import { Migration } from '@mikro-orm/migrations';

export class Migration20261122222215_observed_rollouts extends Migration {
  override name = 'Migration20261122222215_observed_rollouts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "observed_slice" add "rollout" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "observed_slice" drop column "rollout";`);
  }
}
