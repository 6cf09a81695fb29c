import { type Kysely, sql } from 'kysely';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';

const slots = 3;
const slotSeconds = 60;
const slotNow = sql<number>`(extract(epoch from now())::bigint / ${sql.lit(slotSeconds)} % ${sql.lit(slots)})::smallint`;

/** Hands a batch to the process of its reader. Logs hold what programs print, secrets included: it is sealed. */
export async function relay(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'encryptSecret'>,
  { organizationId }: ClusterRef,
  readerId: string,
  batch: string,
): Promise<void> {
  const sealed = await keyring.encryptSecret(organizationId, boundTo(readerId), batch);
  await kysely
    .insertInto('log_relay')
    .values({ reader_id: readerId, slot: slotNow, organization_id: organizationId, sealed })
    .execute();
}

/** How many batches wait for this reader. */
export async function relayed(kysely: Kysely<Tables>, readerId: string): Promise<number> {
  const row = await kysely
    .selectFrom('log_relay')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('reader_id', '=', readerId)
    .executeTakeFirst();
  return row?.count ?? 0;
}

/** Takes what waits for these readers, in order. */
export async function takeRelayed(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  readerIds: readonly string[],
): Promise<{ readerId: string; batch: string }[]> {
  if (readerIds.length === 0) return [];
  const rows = await kysely
    .deleteFrom('log_relay')
    .where('reader_id', 'in', readerIds)
    .returning(['reader_id as readerId', 'number', 'organization_id as organizationId', 'sealed'])
    .execute();
  const inOrder = rows.toSorted((one, other) => (BigInt(one.number) < BigInt(other.number) ? -1 : 1));
  return await Promise.all(
    inOrder.map(async ({ readerId, organizationId, sealed }) => ({
      readerId,
      batch: await keyring.decryptSecret(organizationId, boundTo(readerId), sealed),
    })),
  );
}

/**
 * Empties the partition that comes next, which holds only batches whose readers left. At least a slot's time passes
 * between a batch and that. Answers how many were left.
 */
export async function emptyNextSlot(kysely: Kysely<Tables>): Promise<number> {
  return await kysely.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction);
    const { rows } = await sql<{ next: number }>`select ((${slotNow} + 1) % ${sql.lit(slots)})::int as next`.execute(
      transaction,
    );
    const next = rows[0]?.next ?? 0;
    const table = sql.table(`log_relay_${next}`);
    const left = await sql<{ count: number }>`select count(*)::int as count from ${table}`.execute(transaction);
    const count = left.rows[0]?.count ?? 0;
    if (count > 0) await sql`truncate ${table}`.execute(transaction);
    return count;
  });
}

const boundTo = (readerId: string) => `log_relay:${readerId}:sealed`;
