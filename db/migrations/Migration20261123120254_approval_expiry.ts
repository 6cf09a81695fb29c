import { Migration } from '@mikro-orm/migrations';

export class Migration20261123120254_approval_expiry extends Migration {
  override name = 'Migration20261123120254_approval_expiry';

  override up(): void | Promise<void> {
    this.addSql(`alter table "organization" add "approval_expiry_hours" int not null default 720;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "organization" drop column "approval_expiry_hours";`);
  }
}
