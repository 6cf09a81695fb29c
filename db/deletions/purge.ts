import { sql } from 'kysely';
import type { Database } from '../postgres/database.ts';
import { foreignKeys } from '../postgres/foreign-keys.ts';

export interface PurgeProgress {
  table: string;
  /** Rows deleted in this batch. */
  deleted: number;
}

/** What outlives an organization: the account of its deletion. Everything else that has `organization_id` goes. */
const kept: ReadonlyMap<string, string | 'all'> = new Map([
  ['deletion', 'all'],
  // The last that a cluster's actor is told is that it may end.
  ['outbox', `actor_id like 'deletion/%' or actor_id like 'cluster/%'`],
  ['history_archive', `actor_id like 'deletion/%'`],
  ['audit_record', `subject_kind = 'organization'`],
]);

/**
 * Deletes all that a deleted organization has, in batches that each commit, the organization's own row last. Can be
 * called again at any time and goes on from where it stood. `onProgress` may throw to stop it.
 */
export async function purgeOrganization(
  database: Database,
  organizationId: string,
  batchSize: number,
  onProgress: (progress: PurgeProgress) => void,
): Promise<{ deletedRows: number }> {
  const organization = await database.kysely
    .selectFrom('organization')
    .select('deletion_id')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (organization?.deletion_id === null) {
    throw new Error(`The organization ${organizationId} is not deleted, so it is not purged.`);
  }
  let deletedRows = 0;
  for (const table of purgeOrder(database)) {
    for (let deleted = batchSize; deleted === batchSize; ) {
      deleted = await deleteBatch(database, table, organizationId, batchSize);
      deletedRows += deleted;
      onProgress({ table: table.name, deleted });
    }
  }
  const last = await database.kysely
    .deleteFrom('organization')
    .where('id', '=', organizationId)
    .where('deletion_id', 'is not', null)
    .executeTakeFirst();
  return { deletedRows: deletedRows + Number(last.numDeletedRows) };
}

interface TenantTable {
  name: string;
  primaryKey: string[];
}

/** Every table with `organization_id`: derived from the entities, so that a new one cannot be forgotten. */
export function tenantTables(database: Database): TenantTable[] {
  return [...database.orm.getMetadata().getAll().values()]
    .filter((entity) => 'organizationId' in entity.properties)
    .map((entity) => ({
      name: entity.tableName,
      primaryKey: entity.getPrimaryProps().flatMap((property) => property.fieldNames),
    }));
}

/** The tenant tables, each before those that it refers to. */
export function purgeOrder(database: Database): TenantTable[] {
  const tables = new Map(tenantTables(database).map((table) => [table.name, table]));
  const order: TenantTable[] = [];
  const seen = new Set<string>();
  function visit(table: TenantTable): void {
    if (seen.has(table.name) || kept.get(table.name) === 'all') return;
    seen.add(table.name);
    for (const key of foreignKeys) {
      const dependent = key.references === table.name ? tables.get(key.table) : undefined;
      if (dependent !== undefined) visit(dependent);
    }
    order.push(table);
  }
  for (const table of tables.values()) if (table.name !== 'membership') visit(table);
  // Last, so that the owner still sees a purge that fails half way and can ask for it again.
  for (const table of tables.values()) visit(table);
  return order;
}

async function deleteBatch(
  database: Database,
  { name, primaryKey }: TenantTable,
  organizationId: string,
  limit: number,
): Promise<number> {
  const exception = kept.get(name);
  const table = sql.table(name);
  const key = sql.join(primaryKey.map((column) => sql.ref(column)));
  const result = await sql`
    delete from ${table}
    where (${key}) in (
      select ${key} from ${table}
      where organization_id = ${organizationId} ${exception === undefined ? sql`` : sql`and not (${sql.raw(exception)})`}
      limit ${limit}
    )
  `.execute(database.kysely);
  return Number(result.numAffectedRows ?? 0);
}
