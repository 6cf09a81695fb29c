import { Migration } from '@mikro-orm/migrations';

export class Migration20261121192338_signed_releases extends Migration {
  override name = 'Migration20261121192338_signed_releases';

  override up(): void | Promise<void> {
    this.addSql(`alter table "agent_release" add "proof" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "agent_release" drop column "proof";`);
  }
}
