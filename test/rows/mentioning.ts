import { sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';
import { tenantTables } from '../../db/postgres/tenant-tables.ts';

/** Tables that keep their rows by intention: the account of deletions, the audit log, and what is swept: hints, inboxes, events of clusters. */
const accounts: readonly string[] = ['deletion', 'audit_record', 'change_feed', 'cluster_event', 'notification'];

/** Tables of an organization with a row that mentions an id, in whatever column. */
export async function tablesMentioning({ kysely }: Database, organizationId: string, id: string): Promise<string[]> {
  const each = tenantTables
    .filter((table) => !accounts.includes(table))
    .map(
      (table) => sql`(select ${table}::text as name from ${sql.table(table)} as whole
        where whole.organization_id = ${organizationId} and position(${id} in whole::text) > 0 limit 1)`,
    );
  const { rows } = await sql<{ name: string }>`${sql.join(each, sql` union all `)}`.execute(kysely);
  return rows.map(({ name }) => name);
}
