import { Migration } from '@mikro-orm/migrations';

export class Migration20261121194938_sweeps extends Migration {
  override name = 'Migration20261121194938_sweeps';

  override up(): void | Promise<void> {
    this.addSql(`create index "change_feed_organization_id_index" on "change_feed" ("organization_id");`);

    this.addSql(
      `create index "cluster_command_finished_at_index" on "cluster_command" ("finished_at") where finished_at is not null;`,
    );

    this.addSql(`create index "cluster_event_at_index" on "cluster_event" ("at");`);

    this.addSql(`create index "session_end_index" on "session" (least("ended_at", "expires_at", "idle_expires_at"));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "change_feed_organization_id_index";`);

    this.addSql(`drop index "cluster_command_finished_at_index";`);

    this.addSql(`drop index "cluster_event_at_index";`);

    this.addSql(`drop index "session_end_index";`);
  }
}
