import { Migration } from '@mikro-orm/migrations';

export class Migration20261123160944_disk_pressure extends Migration {
  override name = 'Migration20261123160944_disk_pressure';

  override up(): void | Promise<void> {
    this.addSql(`alter table "cluster_agent" add "disk" jsonb null;`);

    this.addSql(`alter table "cluster_event" drop constraint "cluster_event_kind_check";`);
    this.addSql(
      `alter table "cluster_event" add constraint "cluster_event_kind_check" check ("kind" in ('agent.enrolled', 'agent.connected', 'agent.lost', 'agent.reconnected', 'agent.superseded', 'agent.revoked', 'agent.update.started', 'agent.update.succeeded', 'agent.update.returned', 'agent.update.failed', 'cluster.degraded', 'cluster.recovered', 'workload.applied', 'workload.removed', 'workload.failed', 'workload.recovered', 'instance.crash_loop', 'disk.pressure', 'disk.relieved'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "cluster_agent" drop column "disk";`);

    this.addSql(`alter table "cluster_event" drop constraint "cluster_event_kind_check";`);
    this.addSql(
      `alter table "cluster_event" add constraint "cluster_event_kind_check" check ("kind" in ('agent.enrolled', 'agent.connected', 'agent.lost', 'agent.reconnected', 'agent.superseded', 'agent.revoked', 'agent.update.started', 'agent.update.succeeded', 'agent.update.returned', 'agent.update.failed', 'cluster.degraded', 'cluster.recovered', 'workload.applied', 'workload.removed', 'workload.failed', 'workload.recovered', 'instance.crash_loop'));`,
    );
  }
}
