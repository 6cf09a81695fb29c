import { Migration } from '@mikro-orm/migrations';

const before = `'agent.enrolled', 'agent.connected', 'agent.lost', 'agent.reconnected', 'agent.superseded', 'agent.revoked', 'agent.update.started', 'agent.update.succeeded', 'agent.update.returned', 'agent.update.failed', 'cluster.degraded', 'cluster.recovered', 'workload.applied', 'workload.removed', 'workload.failed', 'workload.recovered'`;

export class Migration20261121193000_crash_loops extends Migration {
  override name = 'Migration20261121193000_crash_loops';

  override up(): void | Promise<void> {
    this.addSql(`alter table "observed_slice" add "revision" int null;`);
    this.addSql(`alter table "cluster_event" drop constraint if exists "cluster_event_kind_check";`);
    this.addSql(
      `alter table "cluster_event" add constraint "cluster_event_kind_check" check ("kind" in (${before}, 'instance.crash_loop'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "cluster_event" where "kind" = 'instance.crash_loop';`);
    this.addSql(`alter table "cluster_event" drop constraint if exists "cluster_event_kind_check";`);
    this.addSql(`alter table "cluster_event" add constraint "cluster_event_kind_check" check ("kind" in (${before}));`);
    this.addSql(`alter table "observed_slice" drop column "revision";`);
  }
}
