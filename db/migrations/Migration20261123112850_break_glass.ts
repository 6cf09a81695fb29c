import { Migration } from '@mikro-orm/migrations';

export class Migration20261123112850_break_glass extends Migration {
  override name = 'Migration20261123112850_break_glass';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "approval" add "broken_glass" boolean not null default false, add "decision_reason" text not null default '';`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "approval" drop column "broken_glass", drop column "decision_reason";`);
  }
}
