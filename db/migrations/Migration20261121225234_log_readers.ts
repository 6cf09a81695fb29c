import { Migration } from '@mikro-orm/migrations';

export class Migration20261121225234_log_readers extends Migration {
  override name = 'Migration20261121225234_log_readers';

  override up(): void | Promise<void> {
    // Unlogged: both hold what is of use for seconds only.
    this.addSql(
      `create unlogged table "log_reader" ("id" uuid not null, "organization_id" uuid not null, "cluster_id" uuid not null, "instance" text not null, "wanted" jsonb not null, "lease_until" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "log_reader_organization_id_index" on "log_reader" ("organization_id");`);
    this.addSql(`create index "log_reader_cluster_id_index" on "log_reader" ("cluster_id");`);

    this.addSql(
      `create table "log_relay" ("reader_id" uuid not null, "number" bigserial not null, "slot" smallint not null, "organization_id" uuid not null, "sealed" bytea not null, primary key ("reader_id", "number", "slot")) partition by list ("slot");`,
    );
    for (const slot of [0, 1, 2]) {
      this.addSql(`create unlogged table "log_relay_${slot}" partition of "log_relay" for values in (${slot});`);
    }
    this.addSql(`create index "log_relay_organization_id_index" on "log_relay" ("organization_id");`);

    this.addSql(
      `alter table "log_reader" add constraint "log_reader_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id") on delete cascade;`,
    );
    // Reading a log is no command any more: agents of before are told to stop when they send the next lines.
    this.addSql(
      `update "cluster_command" set "state" = 'cancelled', "finished_at" = now(), "lease_until" = null where "kind" = 'logs' and "finished_at" is null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "log_reader" cascade;`);
    this.addSql(`drop table if exists "log_relay" cascade;`);
  }
}
