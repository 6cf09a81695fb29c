import { Migration } from '@mikro-orm/migrations';

export class Migration20261121023746_identity extends Migration {
  override name = 'Migration20261121023746_identity';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "exchanged_token" ("hash" bytea not null, "expires_at" timestamptz(3) not null, primary key ("hash"));`,
    );
    this.addSql(`create index "exchanged_token_expires_at_index" on "exchanged_token" ("expires_at");`);

    this.addSql(
      `create table "identity" ("id" uuid not null, "provider_id" text not null, "subject" text not null, "user_id" uuid not null, "created_at" timestamptz(3) not null default now(), "last_sign_in_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "identity_user_id_index" on "identity" ("user_id");`);
    this.addSql(
      `alter table "identity" add constraint "identity_provider_id_subject_unique" unique ("provider_id", "subject");`,
    );

    this.addSql(
      `create table "invitation" ("id" uuid not null, "organization_id" uuid not null, "email" text not null, "role" text not null, "token_hash" bytea not null, "invited_by_id" text not null, "invited_by_name" text not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "accepted_at" timestamptz(3) null, "accepted_by" uuid null, "revoked_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`alter table "invitation" add constraint "invitation_token_hash_unique" unique ("token_hash");`);
    this.addSql(`create index "invitation_page_index" on "invitation" ("organization_id", "created_at", "id");`);
    this.addSql(
      `alter table "invitation" add constraint "invitation_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "invitation_pending_unique" on "invitation" ("organization_id", lower("email")) where "accepted_at" is null and "revoked_at" is null;`,
    );

    this.addSql(
      `create table "provider_account" ("id" uuid not null, "name" text not null, "email" text not null, "password_hash" text not null, "totp_secret" bytea null, "totp_last_step" bigint null, "totp_wrong_codes" int not null default 0, "created_at" timestamptz(3) not null default now(), "password_changed_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create unique index "provider_account_email_unique" on "provider_account" (lower("email"));`);

    this.addSql(
      `create table "provider_key" ("id" text not null, "private_key" bytea not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );

    this.addSql(
      `create table "provider_passkey" ("id" text not null, "account_id" uuid not null, "public_key" bytea not null, "counter" bigint not null default '0', "transports" text[] not null default '{}', "name" text not null, "created_at" timestamptz(3) not null default now(), "last_used_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "provider_passkey_account_id_index" on "provider_passkey" ("account_id");`);

    this.addSql(
      `create table "provider_record" ("model" text not null, "id_hash" bytea not null, "payload" bytea not null, "grant_hash" bytea null, "uid_hash" bytea null, "account_id" text null, "consumed_at" timestamptz(3) null, "expires_at" timestamptz(3) null, primary key ("model", "id_hash"));`,
    );
    this.addSql(
      `create index "provider_record_grant_hash_index" on "provider_record" ("grant_hash") where grant_hash is not null;`,
    );
    this.addSql(
      `create index "provider_record_uid_hash_index" on "provider_record" ("uid_hash") where uid_hash is not null;`,
    );
    this.addSql(
      `create index "provider_record_account_id_index" on "provider_record" ("account_id") where account_id is not null;`,
    );
    this.addSql(`create index "provider_record_expires_at_index" on "provider_record" ("expires_at");`);

    this.addSql(
      `create table "provider_recovery_code" ("account_id" uuid not null, "code_hash" bytea not null, "used_at" timestamptz(3) null, primary key ("account_id", "code_hash"));`,
    );

    this.addSql(
      `create table "sign_in_attempt" ("id" uuid not null, "browser_hash" bytea not null, "state_hash" bytea not null, "return_to" text not null, "user_agent" text null, "sign_in_link_id" uuid null, "invitation_id" uuid null, "interaction_hash" bytea null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "sign_in_attempt" add constraint "sign_in_attempt_browser_hash_unique" unique ("browser_hash");`,
    );
    this.addSql(
      `alter table "sign_in_attempt" add constraint "sign_in_attempt_state_hash_unique" unique ("state_hash");`,
    );
    this.addSql(`create index "sign_in_attempt_expires_at_index" on "sign_in_attempt" ("expires_at");`);
    this.addSql(`create index "sign_in_attempt_sign_in_link_id_index" on "sign_in_attempt" ("sign_in_link_id");`);
    this.addSql(`create index "sign_in_attempt_invitation_id_index" on "sign_in_attempt" ("invitation_id");`);

    this.addSql(
      `create table "sign_in_link" ("id" uuid not null, "kind" text not null, "secret_hash" bytea not null, "user_id" uuid null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`alter table "sign_in_link" add constraint "sign_in_link_secret_hash_unique" unique ("secret_hash");`);
    this.addSql(`create index "sign_in_link_user_id_index" on "sign_in_link" ("user_id");`);

    this.addSql(
      `create table "trusted_issuer" ("id" uuid not null, "organization_id" uuid not null, "name" text not null, "issuer" text not null, "audience" text not null, "claims" jsonb not null, "role" text not null, "project_ids" text[] null, "token_lifetime_seconds" int not null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), "last_used_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `create index "trusted_issuer_page_index" on "trusted_issuer" ("organization_id", "created_at", "id");`,
    );
    this.addSql(
      `alter table "trusted_issuer" add constraint "trusted_issuer_organization_id_id_unique" unique ("organization_id", "id");`,
    );
    this.addSql(
      `create unique index "trusted_issuer_organization_id_name_unique" on "trusted_issuer" ("organization_id", lower("name"));`,
    );

    this.addSql(`alter table "api_token" add "trusted_issuer_id" uuid null;`);
    this.addSql(`create index "api_token_page_index" on "api_token" ("organization_id", "created_at", "id");`);
    this.addSql(
      `create index "api_token_trusted_issuer_id_index" on "api_token" ("trusted_issuer_id") where trusted_issuer_id is not null;`,
    );

    this.addSql(
      `alter table "app_user" add "email_verified" boolean not null default false, add "mfa" boolean not null default false, add "last_sign_in_at" timestamptz(3) null;`,
    );

    this.addSql(`alter table "data_key" drop constraint "data_key_purpose_check";`);
    this.addSql(
      `alter table "data_key" add constraint "data_key_purpose_check" check ("purpose" in ('secrets', 'payloads', 'cursors', 'identity'));`,
    );

    this.addSql(`create index "membership_page_index" on "membership" ("organization_id", "created_at", "user_id");`);
    this.addSql(`create index "membership_owner_index" on "membership" ("organization_id") where role = 'owner';`);

    this.addSql(`alter table "process" drop constraint "process_kind_check";`);
    this.addSql(
      `alter table "process" add constraint "process_kind_check" check ("kind" in ('api', 'worker', 'identity'));`,
    );

    this.addSql(
      `alter table "session" add "idle_seconds" int null, add "amr" text[] not null default '{}', add "mfa" boolean not null default false, add "provider_id" text null;`,
    );

    this.addSql(
      `alter table "identity" add constraint "identity_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "invitation" add constraint "invitation_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "invitation" add constraint "invitation_role_check" check ("role" in ('viewer', 'deployer', 'admin', 'owner'));`,
    );

    this.addSql(
      `alter table "provider_passkey" add constraint "provider_passkey_account_id_foreign" foreign key ("account_id") references "provider_account" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "provider_recovery_code" add constraint "provider_recovery_code_account_id_foreign" foreign key ("account_id") references "provider_account" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "sign_in_attempt" add constraint "sign_in_attempt_sign_in_link_id_foreign" foreign key ("sign_in_link_id") references "sign_in_link" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "sign_in_attempt" add constraint "sign_in_attempt_invitation_id_foreign" foreign key ("invitation_id") references "invitation" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "sign_in_link" add constraint "sign_in_link_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "sign_in_link" add constraint "sign_in_link_user_check" check ((kind = 'first-owner') = (user_id is null));`,
    );
    this.addSql(
      `alter table "sign_in_link" add constraint "sign_in_link_kind_check" check ("kind" in ('first-owner', 'move', 'reset'));`,
    );

    this.addSql(
      `alter table "trusted_issuer" add constraint "trusted_issuer_organization_id_foreign" foreign key ("organization_id") references "organization" ("id");`,
    );
    this.addSql(
      `alter table "trusted_issuer" add constraint "trusted_issuer_role_check" check ("role" in ('viewer', 'deployer', 'admin'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "sign_in_attempt" drop constraint "sign_in_attempt_invitation_id_foreign";`);
    this.addSql(`alter table "provider_passkey" drop constraint "provider_passkey_account_id_foreign";`);
    this.addSql(`alter table "provider_recovery_code" drop constraint "provider_recovery_code_account_id_foreign";`);
    this.addSql(`alter table "sign_in_attempt" drop constraint "sign_in_attempt_sign_in_link_id_foreign";`);

    this.addSql(`drop table if exists "exchanged_token" cascade;`);
    this.addSql(`drop table if exists "identity" cascade;`);
    this.addSql(`drop table if exists "invitation" cascade;`);
    this.addSql(`drop table if exists "provider_account" cascade;`);
    this.addSql(`drop table if exists "provider_key" cascade;`);
    this.addSql(`drop table if exists "provider_passkey" cascade;`);
    this.addSql(`drop table if exists "provider_record" cascade;`);
    this.addSql(`drop table if exists "provider_recovery_code" cascade;`);
    this.addSql(`drop table if exists "sign_in_attempt" cascade;`);
    this.addSql(`drop table if exists "sign_in_link" cascade;`);
    this.addSql(`drop table if exists "trusted_issuer" cascade;`);

    this.addSql(`drop index "api_token_page_index";`);
    this.addSql(`drop index "api_token_trusted_issuer_id_index";`);
    this.addSql(`alter table "api_token" drop column "trusted_issuer_id";`);

    this.addSql(
      `alter table "app_user" drop column "email_verified", drop column "mfa", drop column "last_sign_in_at";`,
    );

    this.addSql(`alter table "data_key" drop constraint "data_key_purpose_check";`);
    this.addSql(
      `alter table "data_key" add constraint "data_key_purpose_check" check ("purpose" in ('secrets', 'payloads', 'cursors'));`,
    );

    this.addSql(`drop index "membership_page_index";`);
    this.addSql(`drop index "membership_owner_index";`);

    this.addSql(`alter table "process" drop constraint "process_kind_check";`);
    this.addSql(`alter table "process" add constraint "process_kind_check" check ("kind" in ('api', 'worker'));`);

    this.addSql(
      `alter table "session" drop column "idle_seconds", drop column "amr", drop column "mfa", drop column "provider_id";`,
    );
  }
}
