import { Migration } from '@mikro-orm/migrations';

export class Migration20261123145513_deletions_of_things extends Migration {
  override name = 'Migration20261123145513_deletions_of_things';

  override up(): void | Promise<void> {
    this.addSql(`alter table "deletion" drop constraint "deletion_kind_check";`);
    this.addSql(
      `alter table "deletion" add "subject_id" uuid null, add "project_id" uuid null, add "context" text not null default '', add "detail" text not null default '';`,
    );
    this.addSql(`create index "deletion_subject_index" on "deletion" ("organization_id", "subject_id");`);
    this.addSql(
      `alter table "deletion" add constraint "deletion_kind_check" check ("kind" in ('organization', 'service', 'database', 'volume', 'environment', 'project'));`,
    );

    this.addSql(`alter table "volume" add "deletion_id" uuid null;`);
    // Services that were deleted before get the clock that they have from now on; the reconciler starts their actors.
    this.addSql(
      `insert into "deletion" ("id", "organization_id", "kind", "subject_id", "project_id", "name", "slug", "context", "requested_by_kind", "requested_by_id", "requested_by_name", "restore_until")
       select service."deletion_id", service."organization_id", case when service."template" is null then 'service' else 'database' end,
         service."id", service."project_id", service."name", service."slug", project."name", 'machine', 'migration', 'Ballast',
         now() + make_interval(hours => organization."deleted_retention_hours")
       from "service" join "project" on project."id" = service."project_id"
       join "organization" on organization."id" = service."organization_id"
       where service."deletion_id" is not null
       on conflict do nothing;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "deletion_subject_index";`);
    this.addSql(`alter table "deletion" drop constraint "deletion_kind_check";`);
    this.addSql(`delete from "deletion" where "kind" <> 'organization';`);
    this.addSql(
      `alter table "deletion" drop column "subject_id", drop column "project_id", drop column "context", drop column "detail";`,
    );
    this.addSql(`alter table "deletion" add constraint "deletion_kind_check" check ("kind" in ('organization'));`);

    this.addSql(`alter table "volume" drop column "deletion_id";`);
  }
}
