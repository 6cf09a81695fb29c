import { Migration } from '@mikro-orm/migrations';

export class Migration20261123055016_slice_bytes extends Migration {
  override name = 'Migration20261123055016_slice_bytes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "cluster_slice" add "bytes" int not null default 0;`);
    this.addSql(
      `update "cluster_slice" set "bytes" = octet_length("workload"::text) + coalesce(octet_length("sealed_secrets"), 0);`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "cluster_slice" drop column "bytes";`);
  }
}
