import { Migration } from '@mikro-orm/migrations';

export class Migration20261121082703_workflows extends Migration {
  override name = 'Migration20261121082703_workflows';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "agent_update_organization_id_created_at_id_index" on "agent_update" ("organization_id", "created_at", "id");`,
    );
    this.addSql(`drop index "agent_update_organization_id_index";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "agent_update_organization_id_created_at_id_index";`);
    this.addSql(`create index "agent_update_organization_id_index" on "agent_update" ("organization_id");`);
  }
}
