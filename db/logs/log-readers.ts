import { type Kysely, sql } from 'kysely';
import type { ClusterRef } from '../clusters/clusters.ts';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';

export interface LogReaderRow {
  id: string;
  cluster: ClusterRef;
  instance: string;
  wanted: JsonObject;
}

export const readerLeaseSeconds = 20;

/** Writes readers for another while. One whose row was lost is written again. */
export async function keepReaders(kysely: Kysely<Tables>, readers: readonly LogReaderRow[]): Promise<void> {
  if (readers.length === 0) return;
  await kysely
    .insertInto('log_reader')
    .values(
      readers.map(({ id, cluster, instance, wanted }) => ({
        id,
        organization_id: cluster.organizationId,
        cluster_id: cluster.id,
        instance,
        wanted,
        lease_until: sql<Date>`now() + make_interval(secs => ${readerLeaseSeconds})`,
      })),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        wanted: ref('excluded.wanted'),
        lease_until: ref('excluded.lease_until'),
      })),
    )
    .execute();
}

export async function removeReaders(kysely: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await kysely.deleteFrom('log_reader').where('id', 'in', ids).execute();
}

/** Those that read logs of this cluster, in all processes. */
export async function readersOf(kysely: Kysely<Tables>, clusterId: string, most: number) {
  return await kysely
    .selectFrom('log_reader')
    .select(['id', 'instance', 'wanted'])
    .where('cluster_id', '=', clusterId)
    .where('lease_until', '>', sql<Date>`now()`)
    .orderBy('id')
    .limit(most)
    .execute();
}

/** Whether this reader reads a log of this cluster. */
export async function isReader(kysely: Kysely<Tables>, cluster: ClusterRef, id: string): Promise<boolean> {
  const row = await kysely
    .selectFrom('log_reader')
    .select('id')
    .where('id', '=', id)
    .where('cluster_id', '=', cluster.id)
    .where('organization_id', '=', cluster.organizationId)
    .where('lease_until', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row !== undefined;
}

/** The ids of all readers, by cluster: to find out whose have changed. */
export async function readersByCluster(kysely: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await kysely
    .selectFrom('log_reader')
    .select(['cluster_id as clusterId', sql<string>`string_agg(id::text, ',' order by id)`.as('ids')])
    .where('lease_until', '>', sql<Date>`now()`)
    .groupBy('cluster_id')
    .execute();
  return new Map(rows.map(({ clusterId, ids }) => [clusterId, ids]));
}

/** Readers whose process ended without a word. */
export async function sweepLogReaders(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`lease_until < now() - interval '1 minute'`;
  return await deleteInBatches(kysely, { table: 'log_reader', where, along: sql.ref('lease_until'), signal });
}
