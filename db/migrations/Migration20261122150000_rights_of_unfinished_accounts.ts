import { Migration } from '@mikro-orm/migrations';

/** An account keeps the right of the link or invitation for which it was created, until its first sign-in is finished. */
export class Migration20261122150000_rights_of_unfinished_accounts extends Migration {
  override name = 'Migration20261122150000_rights_of_unfinished_accounts';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "provider_account" add "for_first_owner" boolean not null default false, add "for_invitation" uuid null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "provider_account" drop column "for_first_owner", drop column "for_invitation";`);
  }
}
