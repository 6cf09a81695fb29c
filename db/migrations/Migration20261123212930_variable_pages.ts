import { Migration } from '@mikro-orm/migrations';

export class Migration20261123212930_variable_pages extends Migration {
  override name = 'Migration20261123212930_variable_pages';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "change_set_item_variable_page_index" on "change_set_item" ("change_set_id", "service_id", "key" collate "C") where kind in ('variable.set', 'variable.unset');`,
    );
    this.addSql(
      `create index "change_set_item_refers_index" on "change_set_item" ("change_set_id") where refers is not null;`,
    );

    this.addSql(
      `create index "service_slug_page_index" on "service" ("project_id", "slug" collate "C") where deletion_id is null;`,
    );

    this.addSql(
      `create index "shared_variable_page_index" on "shared_variable" ("environment_id", "key" collate "C");`,
    );

    this.addSql(
      `create index "variable_page_index" on "variable" ("environment_id", "service_id", "key" collate "C");`,
    );
    this.addSql(`create index "variable_refers_index" on "variable" ("environment_id") where refers is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "change_set_item_variable_page_index";`);
    this.addSql(`drop index "change_set_item_refers_index";`);

    this.addSql(`drop index "service_slug_page_index";`);

    this.addSql(`drop index "shared_variable_page_index";`);

    this.addSql(`drop index "variable_page_index";`);
    this.addSql(`drop index "variable_refers_index";`);
  }
}
