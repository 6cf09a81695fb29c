import { Migration } from '@mikro-orm/migrations';

export class Migration20261127144347_worker_served_until extends Migration {
  override name = 'Migration20261127144347_worker_served_until';

  override up(): void | Promise<void> {
    this.addSql(`alter table "process" add "served_at" timestamptz(3) null, add "ended_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "process" drop column "served_at", drop column "ended_at";`);
  }
}
