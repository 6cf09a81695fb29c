import { Migration } from '@mikro-orm/migrations';

/** An audit record names the workflow that it started, so that the workflow can tell who requested it. */
export class Migration20261122140000_requested_workflows extends Migration {
  override name = 'Migration20261122140000_requested_workflows';

  override up(): void | Promise<void> {
    this.addSql(`alter table "audit_record" add "workflow_id" uuid null;`);
    this.addSql(
      `create index "audit_record_workflow_id_index" on "audit_record" ("organization_id", "workflow_id") where workflow_id is not null;`,
    );
    this.addSql(`
      update "audit_record" set "workflow_id" = "subject_id"::uuid where "action" = 'cluster.created';
    `);
    this.addSql(`
      update "audit_record" set "workflow_id" = ("details" ->> 'deletionId')::uuid where "action" = 'organization.deleted';
    `);
    // Both were written in one transaction: the row at its beginning, the record at its end.
    this.addSql(`
      update "audit_record" set "workflow_id" = "requested"."id" from "agent_update" as "requested"
      where "audit_record"."action" = 'cluster.agent_update_requested'
        and "audit_record"."organization_id" = "requested"."organization_id"
        and "audit_record"."subject_id" = "requested"."cluster_id"::text
        and "audit_record"."at" >= "requested"."created_at"
        and "audit_record"."at" < "requested"."created_at" + interval '10 seconds'
        and "audit_record"."actor_id" = "requested"."requested_by_id";
    `);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "audit_record_workflow_id_index";`);
    this.addSql(`alter table "audit_record" drop column "workflow_id";`);
  }
}
