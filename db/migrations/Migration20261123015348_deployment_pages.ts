import { Migration } from '@mikro-orm/migrations';

export class Migration20261123015348_deployment_pages extends Migration {
  override name = 'Migration20261123015348_deployment_pages';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "deployment_open_page_index" on "deployment" ("organization_id", "created_at", "id") where finished_at is null;`,
    );
    this.addSql(
      `create index "deployment_of_environment_index" on "deployment" ("organization_id", "environment_id", "created_at", "id");`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "deployment_open_page_index";`);
    this.addSql(`drop index "deployment_of_environment_index";`);
  }
}
