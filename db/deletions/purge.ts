import { type RawBuilder, sql } from 'kysely';
import type { DeletionState } from '../../workflows/deletion/descriptor.ts';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { Effect } from '../engine/effect.ts';
import type { Database } from '../postgres/database.ts';
import { foreignKeys } from '../postgres/foreign-keys.ts';
import { tenantTables } from '../postgres/tenant-tables.ts';

export interface PurgeProgress {
  table: string;
  /** Rows deleted in this batch. */
  deleted: number;
}

/** Histories of the deletions of its parts go with it. */
const ofThing = `exists (select from deletion where deletion.kind <> 'organization' and actor_id = 'deletion/' || deletion.id)`;

/** Parts that outlive an organization: the account of its deletion. All else that has `organization_id` is deleted. */
const kept: ReadonlyMap<string, string | 'all'> = new Map([
  ['deletion', 'all'],
  // The last message of an actor is that it may end.
  ['outbox', ofActorsThatKeep('outbox')],
  ['history_archive', `(${ofActorsThatKeep('history_archive')}) and not (${ofThing})`],
  ['audit_record', `subject_kind = 'organization'`],
]);

function ofActorsThatKeep(table: 'outbox' | 'history_archive'): string {
  const kinds = actorKinds.filter((kind) => descriptors[kind].purge.keeps.includes(table));
  return kinds.map((kind) => `actor_id like '${kind}/%'`).join(' or ');
}

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
  // Most tables hold nothing of most organizations. Rows that came meanwhile are found by the next look.
  for (let tables = await filled(database, organizationId); tables.length > 0; ) {
    for (const table of tables) {
      for (const leaf of await leavesOf(database, table)) {
        deletedRows += await deleteInBatches(database.kysely, {
          table: leaf,
          where: ofOrganization(table, organizationId),
          most: batchSize,
          whole: true,
          onBatch: (deleted) => onProgress({ table, deleted }),
        });
      }
    }
    tables = await filled(database, organizationId);
  }
  deletedRows += await deleteInBatches(database.kysely, {
    table: 'deletion',
    where: sql`organization_id = ${organizationId} and kind <> 'organization'`,
    most: batchSize,
    whole: true,
    onBatch: (deleted) => onProgress({ table: 'deletion', deleted }),
  });
  const last = await database.kysely
    .deleteFrom('organization')
    .where('id', '=', organizationId)
    .where('deletion_id', 'is not', null)
    .executeTakeFirst();
  return { deletedRows: deletedRows + Number(last.numDeletedRows) };
}

/** The tenant tables, each before those that it refers to. */
export function purgeOrder(): string[] {
  const tables: readonly string[] = tenantTables;
  const order: string[] = [];
  const seen = new Set<string>();
  function visit(table: string): void {
    if (seen.has(table) || kept.get(table) === 'all') return;
    seen.add(table);
    for (const key of foreignKeys) if (key.references === table && tables.includes(key.table)) visit(key.table);
    order.push(table);
  }
  for (const table of tables) if (table !== 'membership') visit(table);
  // Last, so that the owner still sees a purge that fails half way and can ask for it again.
  for (const table of tables) visit(table);
  return order;
}

/** Those of them that hold something of the organization to be purged, in that order. All are asked in one query. */
async function filled(database: Database, organizationId: string): Promise<string[]> {
  const order = purgeOrder();
  const asked = order.map(
    (table) =>
      sql`select ${sql.lit(table)} as name where exists (select from ${sql.table(table)} where ${ofOrganization(table, organizationId)})`,
  );
  const { rows } = await sql<{ name: string }>`
    ${sql.join(asked, sql` union all `)}
  `.execute(database.kysely);
  const names = new Set(rows.map(({ name }) => name));
  return order.filter((table) => names.has(table));
}

/** The tables that hold the rows themselves: the partitions of one that has any. */
async function leavesOf(database: Database, table: string): Promise<string[]> {
  if (table !== 'change_feed') return [table];
  const { rows } = await sql<{ name: string }>`
    select relid::regclass::text as name from pg_partition_tree(${table}::regclass) where isleaf
  `.execute(database.kysely);
  return rows.map(({ name }) => name);
}

function ofOrganization(table: string, organizationId: string): RawBuilder<unknown> {
  const exception = kept.get(table);
  return sql`organization_id = ${organizationId} ${exception === undefined ? sql`` : sql`and not (${sql.raw(exception)})`}`;
}

export type PurgeClaim =
  | { answer: 'claimed' }
  | { answer: 'early'; milliseconds: number }
  /** The row has a higher revision than the claim. */
  | { answer: 'ahead' }
  /** Somebody has decided otherwise: the actor obeys the row. */
  | { answer: 'refused'; state: DeletionState };

/** The actor's guarded step `retained → purging`. Claiming again what is claimed counts as claimed. */
export async function claimPurge(effect: Effect, deletionId: string, revision: number): Promise<PurgeClaim> {
  const row = await effect.kysely
    .selectFrom('deletion')
    .select(['state', 'revision', 'finished_at'])
    .select(sql<number>`extract(epoch from restore_until - now())::float8 * 1000`.as('milliseconds'))
    .where('id', '=', deletionId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new Error(`There is no deletion ${deletionId}: its row was removed.`);
  if (row.finished_at !== null) return { answer: 'refused', state: row.state };
  if (row.revision > revision) return { answer: 'ahead' };
  if (row.state === 'purging') return { answer: 'claimed' };
  if (row.milliseconds > 0) return { answer: 'early', milliseconds: Math.ceil(row.milliseconds) };
  await effect.kysely
    .updateTable('deletion')
    .set({ state: 'purging', revision, purge_started_at: sql`coalesce(purge_started_at, now())`, blocker: null })
    .where('id', '=', deletionId)
    .execute();
  return { answer: 'claimed' };
}
