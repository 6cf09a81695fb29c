import { Migration } from '@mikro-orm/migrations';

/**
 * Versions before ended a cluster as failed when its workflow stopped, and its machine went on unmanaged. Clusters live
 * until they are deleted: these are open again, and the reconciler starts their workflows.
 */
export class Migration20261121231500_reopened_clusters extends Migration {
  override name = 'Migration20261121231500_reopened_clusters';

  override up(): void | Promise<void> {
    // The next start made another cluster for this machine, without an agent: the machine's agent belongs to the one before.
    this.addSql(`
      update "cluster" set "local" = false
      where "local" and "finished_at" is null
        and exists (select from "cluster_agent" as agent where agent.cluster_id = "cluster"."id" and agent.enrolled_at is null)
        and exists (
          select from "cluster" as ended join "cluster_agent" as agent on agent.cluster_id = ended.id
          where ended.local and ended.state = 'failed' and ended.deletion_requested_at is null
            and agent.enrolled_at is not null
        );
    `);
    this.addSql(`
      with ended as (
        select failed.id, agent.contact,
          row_number() over (partition by failed.local order by agent.enrolled_at desc nulls last, failed.id) = 1
            and not exists (select from "cluster" as other where other.local and other.finished_at is null) as stays_local,
          row_number() over (partition by failed.organization_id, failed.slug order by failed.id) = 1
            and not exists (
              select from "cluster" as other
              where other.organization_id = failed.organization_id and other.slug = failed.slug and other.finished_at is null
            ) as keeps_slug
        from "cluster" as failed left join "cluster_agent" as agent on agent.cluster_id = failed.id
        where failed.state = 'failed' and failed.deletion_requested_at is null
      )
      update "cluster" set
        "state" = case coalesce(ended.contact, 'never')
          when 'never' then 'awaiting-agent' when 'lost' then 'lost' else 'ready' end,
        "revision" = "revision" + 1, "message" = null, "blocker" = null, "finished_at" = null, "archived_at" = null,
        "local" = "local" and ended.stays_local,
        "slug" = case when ended.keeps_slug then "slug" else left("slug", 40) || '-' || right("cluster"."id"::text, 8) end
      from ended where ended.id = "cluster"."id";
    `);
  }

  override down(): void | Promise<void> {
    // Nothing tells which ones were ended before, and none of them should be.
  }
}
