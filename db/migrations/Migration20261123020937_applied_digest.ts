import { Migration } from '@mikro-orm/migrations';

export class Migration20261123020937_applied_digest extends Migration {
  override name = 'Migration20261123020937_applied_digest';

  override up(): void | Promise<void> {
    this.addSql(`alter table "environment_service" add "applied_digest" text null;`);
    // Until now what serves was taken for what is applied.
    this.addSql(`
      update "environment_service" place set "applied_digest" = live."content_digest"
      from "release" live where live."organization_id" = place."organization_id" and live."id" = place."live_release_id";
    `);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "environment_service" drop column "applied_digest";`);
  }
}
