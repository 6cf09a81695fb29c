import { Migration } from '@mikro-orm/migrations';

export class Migration20261127122327_deployment_queue_order extends Migration {
  override name = 'Migration20261127122327_deployment_queue_order';

  override up(): void | Promise<void> {
    this.addSql(`alter table "deployment" add "queue_order" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "deployment" drop column "queue_order";`);
  }
}
