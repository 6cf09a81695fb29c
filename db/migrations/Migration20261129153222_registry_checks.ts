import { Migration } from '@mikro-orm/migrations';

export class Migration20261129153222_registry_checks extends Migration {
  override name = 'Migration20261129153222_registry_checks';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "registry_credential" add "last_error" text not null default '', add "verified_at" timestamptz(3) null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "registry_credential" drop column "last_error", drop column "verified_at";`);
  }
}
