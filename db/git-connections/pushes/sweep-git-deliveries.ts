import { type Kysely, sql } from 'kysely';
import { deleteInBatches } from '../../engine/delete-in-batches.ts';
import type { Tables } from '../../postgres/tables.ts';

/** Forgets messages of hosts after 30 days; none of them sends one again after so long. */
export async function sweepGitDeliveries(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`/* across tenants */ received_at < now() - interval '30 days'`;
  return await deleteInBatches(kysely, { table: 'git_delivery', where, along: sql.ref('received_at'), signal });
}
