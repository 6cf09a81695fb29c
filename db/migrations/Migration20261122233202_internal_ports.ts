import { Migration } from '@mikro-orm/migrations';

export class Migration20261122233202_internal_ports extends Migration {
  override name = 'Migration20261122233202_internal_ports';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "internal_port" ("cluster_id" uuid not null, "port" int not null, "organization_id" uuid not null, "key" text not null, "process" text not null, "created_at" timestamptz(3) not null default now(), primary key ("cluster_id", "port"));`,
    );
    this.addSql(`create index "internal_port_organization_id_index" on "internal_port" ("organization_id");`);
    this.addSql(
      `alter table "internal_port" add constraint "internal_port_cluster_id_key_process_unique" unique ("cluster_id", "key", "process");`,
    );

    this.addSql(
      `alter table "internal_port" add constraint "internal_port_organization_id_cluster_id_foreign" foreign key ("organization_id", "cluster_id") references "cluster" ("organization_id", "id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "internal_port" cascade;`);
  }
}
