import { Migration } from '@mikro-orm/migrations';

export class Migration20261123145815_deployment_order extends Migration {
  override name = 'Migration20261123145815_deployment_order';

  override up(): void | Promise<void> {
    this.addSql(`alter table "deployment" add "after_deployments" text[] not null default '{}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "deployment" drop column "after_deployments";`);
  }
}
