import { Migration } from '@mikro-orm/migrations';

export class Migration20261127144358_whose_change_it_is extends Migration {
  override name = 'Migration20261127144358_whose_change_it_is';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_token" add "rule_author_ids" text[] null;`);

    this.addSql(`alter table "approval" add "authors" jsonb null;`);

    this.addSql(`alter table "trusted_issuer" add "author_ids" text[] null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_token" drop column "rule_author_ids";`);

    this.addSql(`alter table "approval" drop column "authors";`);

    this.addSql(`alter table "trusted_issuer" drop column "author_ids";`);
  }
}
