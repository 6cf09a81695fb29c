import { Migration } from '@mikro-orm/migrations';

export class Migration20261123082237_lean_notifications extends Migration {
  override name = 'Migration20261123082237_lean_notifications';

  override up(): void | Promise<void> {
    this.addSql(`alter table "notification" drop constraint "notification_organization_id_foreign";`);

    this.addSql(`drop index "notification_user_id_index";`);
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "notification" add constraint "notification_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`create index "notification_user_id_index" on "notification" ("user_id");`);
  }
}
