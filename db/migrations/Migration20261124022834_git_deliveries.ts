import { Migration } from '@mikro-orm/migrations';

export class Migration20261124022834_git_deliveries extends Migration {
  override name = 'Migration20261124022834_git_deliveries';

  override up(): void | Promise<void> {
    this.addSql(`create index "git_delivery_organization_id_index" on "git_delivery" ("organization_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "git_delivery_organization_id_index";`);
  }
}
