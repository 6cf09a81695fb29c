import { Migration } from '@mikro-orm/migrations';

export class Migration20261124004933_build_downtime_accepted extends Migration {
  override name = 'Migration20261124004933_build_downtime_accepted';

  override up(): void | Promise<void> {
    this.addSql(`alter table "build" add "downtime_accepted" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "build" drop column "downtime_accepted";`);
  }
}
