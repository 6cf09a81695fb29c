import { Migration } from '@mikro-orm/migrations';

export class Migration20261121213031_sealed_output extends Migration {
  override name = 'Migration20261121213031_sealed_output';

  override up(): void | Promise<void> {
    this.addSql(`alter table "command_output" add "sealed" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "command_output" drop column "sealed";`);
  }
}
