import { sql } from 'kysely';
import { atRest } from '../../../domain/deployments/workload-of.ts';
import type { Effect } from '../../engine/effect.ts';
import type { JsonObject } from '../../postgres/json.ts';
import { tenant } from '../../postgres/tenant.ts';
import { raiseDesired } from '../../workloads/cluster-slices.ts';

type Running = JsonObject & { processes: (JsonObject & { replicas: number })[] };

/**
 * Lets nothing of a workload run, on whichever cluster it is. Its secrets stay sealed, so that a service whose key is missing
 * can be stopped, too.
 */
export async function restWorkload(effect: Effect, organizationId: string, key: string): Promise<void> {
  const slices = await tenant(effect.kysely, organizationId)
    .selectFrom('cluster_slice')
    .select(['cluster_id as id'])
    .where('key', '=', key)
    .where('removed_at', 'is', null)
    .orderBy('cluster_id')
    .execute();
  for (const { id } of slices) {
    await raiseDesired(effect, { id, organizationId }, async (revision) => {
      const slice = () => tenant(effect.kysely, organizationId);
      const { workload } = await slice()
        .selectFrom('cluster_slice')
        .select('workload')
        .where('cluster_id', '=', id)
        .where('key', '=', key)
        .forUpdate()
        .executeTakeFirstOrThrow();
      await slice()
        .updateTable('cluster_slice')
        .set({ workload: atRest(workload as Running), revision, updated_at: sql`clock_timestamp()` })
        .where('cluster_id', '=', id)
        .where('key', '=', key)
        .execute();
    });
  }
}
