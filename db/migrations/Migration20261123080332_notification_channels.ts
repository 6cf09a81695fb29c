import { Migration } from '@mikro-orm/migrations';

export class Migration20261123080332_notification_channels extends Migration {
  override name = 'Migration20261123080332_notification_channels';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "incident" ("id" uuid not null, "organization_id" uuid not null, "notification_channel_id" uuid not null, "subject" text not null, "occasion" text not null, "kind" text not null, "title" text not null, "body" text not null, "link" jsonb not null, "resolved_at" timestamptz(3) null, "attempts" int not null default 0, "next_attempt_at" timestamptz(3) null, "state" text not null default 'triggering', "revision" int not null default 0, "message" text null, "blocker" text null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "incident_subject_index" on "incident" ("organization_id", "subject") where finished_at is null and resolved_at is null;`,
    );
    this.addSql(
      `create index "incident_page_index" on "incident" ("organization_id", "notification_channel_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "incident_without_archive_index" on "incident" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(`create index "incident_finished_index" on "incident" ("finished_at") where archived_at is not null;`);
    this.addSql(
      `create unique index "incident_open_unique" on "incident" ("notification_channel_id", "subject") where finished_at is null and resolved_at is null;`,
    );
    this.addSql(
      `alter table "incident" add constraint "incident_occasion_unique" unique ("notification_channel_id", "occasion");`,
    );

    this.addSql(
      `create table "notification_channel" ("id" uuid not null, "organization_id" uuid not null, "kind" text not null, "label" text not null, "events" jsonb not null, "enabled" boolean not null default true, "sealed" bytea null, "hint" text not null, "last_error" text null, "last_delivered_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), "deleted_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "notification_channel_created_index" on "notification_channel" ("organization_id", "created_at", "id");`,
    );
    this.addSql(
      `alter table "notification_channel" add constraint "notification_channel_organization_id_id_unique" unique ("organization_id", "id");`,
    );

    this.addSql(
      `create table "delivery" ("id" uuid not null, "organization_id" uuid not null, "notification_channel_id" uuid not null, "occasion" text not null, "kind" text not null, "title" text not null, "body" text not null, "link" jsonb not null, "attempts" int not null default 0, "next_attempt_at" timestamptz(3) null, "state" text not null default 'sending', "revision" int not null default 0, "message" text null, "blocker" text null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null, "archived_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "delivery_page_index" on "delivery" ("organization_id", "notification_channel_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "delivery_open_index" on "delivery" ("notification_channel_id") where finished_at is null;`,
    );
    this.addSql(
      `create index "delivery_without_archive_index" on "delivery" ("finished_at") where finished_at is not null and archived_at is null;`,
    );
    this.addSql(`create index "delivery_finished_index" on "delivery" ("finished_at") where archived_at is not null;`);
    this.addSql(
      `alter table "delivery" add constraint "delivery_occasion_unique" unique ("notification_channel_id", "occasion");`,
    );

    this.addSql(
      `create table "queued_delivery" ("id" uuid not null, "organization_id" uuid not null, "notification_channel_id" uuid not null, "occasion" text not null, "kind" text not null, "title" text not null, "body" text not null, "link" jsonb not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "queued_delivery_page_index" on "queued_delivery" ("organization_id", "notification_channel_id", "created_at", "id");`,
    );
    this.addSql(
      `alter table "queued_delivery" add constraint "queued_delivery_occasion_unique" unique ("notification_channel_id", "occasion");`,
    );

    this.addSql(
      `alter table "incident" add constraint "incident_organization_id_notification_channel_id_foreign" foreign key ("organization_id", "notification_channel_id") references "notification_channel" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "incident" add constraint "incident_kind_check" check ("kind" in ('approval', 'failure', 'warning', 'deploy'));`,
    );
    this.addSql(
      `alter table "incident" add constraint "incident_state_check" check ("state" in ('triggering', 'open', 'resolving', 'resolved', 'failed', 'dropped'));`,
    );

    this.addSql(
      `alter table "notification_channel" add constraint "notification_channel_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "notification_channel" add constraint "notification_channel_kind_check" check ("kind" in ('chat_webhook', 'incident_pager'));`,
    );

    this.addSql(
      `alter table "delivery" add constraint "delivery_organization_id_notification_channel_id_foreign" foreign key ("organization_id", "notification_channel_id") references "notification_channel" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "delivery" add constraint "delivery_kind_check" check ("kind" in ('approval', 'failure', 'warning', 'deploy'));`,
    );
    this.addSql(
      `alter table "delivery" add constraint "delivery_state_check" check ("state" in ('sending', 'retrying', 'delivered', 'failed', 'dropped'));`,
    );

    this.addSql(
      `alter table "queued_delivery" add constraint "queued_delivery_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "queued_delivery" add constraint "queued_delivery_organization_id_notification_channel_id_foreign" foreign key ("organization_id", "notification_channel_id") references "notification_channel" ("organization_id", "id");`,
    );
    this.addSql(
      `alter table "queued_delivery" add constraint "queued_delivery_kind_check" check ("kind" in ('approval', 'failure', 'warning', 'deploy'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "incident" drop constraint "incident_organization_id_notification_channel_id_foreign";`);
    this.addSql(`alter table "delivery" drop constraint "delivery_organization_id_notification_channel_id_foreign";`);
    this.addSql(
      `alter table "queued_delivery" drop constraint "queued_delivery_organization_id_notification_channel_id_foreign";`,
    );

    this.addSql(`drop table if exists "incident" cascade;`);
    this.addSql(`drop table if exists "notification_channel" cascade;`);
    this.addSql(`drop table if exists "delivery" cascade;`);
    this.addSql(`drop table if exists "queued_delivery" cascade;`);
  }
}
