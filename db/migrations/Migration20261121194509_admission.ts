import { Migration } from '@mikro-orm/migrations';

export class Migration20261121194509_admission extends Migration {
  override name = 'Migration20261121194509_admission';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_token" add "maker_id" uuid null;`);
    // Who made a token stood there as a text, beside the names of machines.
    this.addSql(`
      update "api_token" set "maker_id" = app_user.id from app_user
      where app_user.id::text = "api_token"."created_by" and "api_token"."trusted_issuer_id" is null;
    `);
    this.addSql(
      `create index "api_token_maker_index" on "api_token" ("maker_id", "organization_id") where maker_id is not null;`,
    );

    this.addSql(`alter table "provider_account" add "email_verified_at" timestamptz(3) null;`);
    // The built-in provider vouched for addresses that nobody had proved.
    this.addSql(`
      update "app_user" set "email_verified" = false
      where exists (select from identity where identity.user_id = app_user.id and identity.provider_id = 'built-in')
        and not exists (select from identity where identity.user_id = app_user.id and identity.provider_id <> 'built-in');
    `);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "api_token_maker_index";`);
    this.addSql(`alter table "api_token" drop column "maker_id";`);

    this.addSql(`alter table "provider_account" drop column "email_verified_at";`);
  }
}
