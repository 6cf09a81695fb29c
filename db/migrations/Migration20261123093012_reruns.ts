import { Migration } from '@mikro-orm/migrations';

export class Migration20261123093012_reruns extends Migration {
  override name = 'Migration20261123093012_reruns';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "deployment_rerun_of_index" on "deployment" ("rerun_of", "admission_order") where rerun_of is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "deployment_rerun_of_index";`);
  }
}
