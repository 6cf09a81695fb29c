import { randomInt } from 'node:crypto';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';

/** Below the ports that instances get, and those that the system gives to connections. */
const [first, last] = [10_000, 19_999];
/** More than that on one cluster are refused before they are hard to find. */
const attempts = 200;

/** The ports of these processes: each keeps the one it got first, as long as its workload is there. */
export async function allocatePorts(
  effect: Effect,
  { id: clusterId, organizationId }: ClusterRef,
  key: string,
  processes: readonly string[],
): Promise<Map<string, number>> {
  const own = tenant(effect.kysely, organizationId);
  const rows = await own
    .selectFrom('internal_port')
    .select(['process', 'port'])
    .where('cluster_id', '=', clusterId)
    .where('key', '=', key)
    .execute();
  const ports = new Map(rows.map(({ process, port }) => [process, port]));
  for (const process of processes) {
    for (let attempt = 0; !ports.has(process) && attempt < attempts; attempt += 1) {
      const port = randomInt(first, last + 1);
      const taken = await own
        .insertInto('internal_port')
        .values({ cluster_id: clusterId, port, key, process })
        .onConflict((conflict) => conflict.columns(['cluster_id', 'port']).doNothing())
        .returning('port')
        .executeTakeFirst();
      if (taken !== undefined) ports.set(process, port);
    }
  }
  return ports;
}
