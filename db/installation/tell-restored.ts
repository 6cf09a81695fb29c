import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';

/** More than any cluster gets between two backups. */
const ahead = 1_000_000;

/**
 * After a restore. Agents have seen revisions that this database has not: if it counted on from its own, they would take a new one for
 * one that they know. So all clusters begin further on, with everything that is wanted there.
 */
export async function tellRestored(kysely: Kysely<Tables>): Promise<void> {
  await kysely.transaction().execute(async (transaction) => {
    await sql`/* across tenants */ update cluster set desired_revision = desired_revision + ${ahead}`.execute(
      transaction,
    );
    await sql`/* across tenants */ update cluster_slice set revision = cluster.desired_revision
      from cluster where cluster.id = cluster_slice.cluster_id`.execute(transaction);
  });
}
