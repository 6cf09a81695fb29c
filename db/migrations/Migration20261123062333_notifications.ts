import { Migration } from '@mikro-orm/migrations';

export class Migration20261123062333_notifications extends Migration {
  override name = 'Migration20261123062333_notifications';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "notification" ("id" uuid not null, "organization_id" uuid not null, "user_id" uuid not null, "kind" text not null, "occasion" text not null, "title" text not null, "body" text not null, "link" jsonb not null, "created_at" timestamptz(3) not null default clock_timestamp(), "read_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "notification_page_index" on "notification" ("organization_id", "user_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "notification_unread_index" on "notification" ("organization_id", "user_id", "created_at", "id") where read_at is null;`,
    );
    this.addSql(`create index "notification_user_id_index" on "notification" ("user_id");`);
    this.addSql(
      `alter table "notification" add constraint "notification_occasion_unique" unique ("organization_id", "user_id", "occasion");`,
    );

    this.addSql(
      `alter table "notification" add constraint "notification_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "notification" add constraint "notification_organization_id_user_id_foreign" foreign key ("organization_id", "user_id") references "membership" ("organization_id", "user_id") on delete cascade;`,
    );
    this.addSql(
      `alter table "notification" add constraint "notification_kind_check" check ("kind" in ('approval', 'failure', 'warning', 'deploy'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "notification" cascade;`);
  }
}
