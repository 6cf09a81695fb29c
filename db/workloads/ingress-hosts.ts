import { randomInt } from 'node:crypto';
import { slugOf } from '../../domain/slug.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { Effect } from '../engine/effect.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const uniqueCharacters = 8;
const longestLabel = 63;

/** The host names of these processes: each keeps the one it got first, as long as its slice is there. */
export async function allocateHosts(
  effect: Effect,
  cluster: ClusterRef,
  slice: { key: string; name: string; processes: readonly string[]; ingressDomain: string },
): Promise<Map<string, string>> {
  const { key, name, processes, ingressDomain } = slice;
  const rows = await effect.kysely
    .selectFrom('ingress_host')
    .select(['process', 'host'])
    .where('cluster_id', '=', cluster.id)
    .where('key', '=', key)
    .execute();
  const hosts = new Map(rows.map((row) => [row.process, row.host]));
  for (const process of processes) {
    while (!hosts.has(process)) {
      const host = `${labelOf(name)}.${ingressDomain}`;
      const taken = await effect.kysely
        .insertInto('ingress_host')
        .values({ host, organization_id: cluster.organizationId, cluster_id: cluster.id, key, process })
        .onConflict((conflict) => conflict.column('host').doNothing())
        .returning('host')
        .executeTakeFirst();
      if (taken !== undefined) hosts.set(process, host);
    }
  }
  return hosts;
}

/** `shop-x7k2m9qa`: people recognize it, and nobody can guess the next one. */
function labelOf(name: string): string {
  const base =
    slugOf(name)
      .slice(0, longestLabel - uniqueCharacters - 1)
      .replace(/-+$/, '') || 'app';
  return `${base}-${Array.from({ length: uniqueCharacters }, () => letters[randomInt(letters.length)]).join('')}`;
}
