import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { AllTables } from '../postgres/all-tables.ts';
import type { Tables } from '../postgres/tables.ts';
import { type OwnTables, tenant } from '../postgres/tenant.ts';
import type { EnvironmentRef } from './environment-ref.ts';

export type ItemRow = Omit<Selectable<AllTables['change_set_item']>, 'organization_id'>;
export type NewItemRow = Insertable<OwnTables['change_set_item']>;

/** Named one by one: a statement with "all" columns is planned each time (`db/postgres/hot-statements.ts`). */
const columns = [
  'id',
  'environment_id',
  'change_set_id',
  'service_id',
  'process_id',
  'volume_id',
  'kind',
  'slot',
  'key',
  'label',
  'from_value',
  'to_value',
  'sealed_to',
  'secret',
  'refers',
  'build_time',
  'from_build_time',
  'to_empty',
  'managed',
  'revision',
  'staged_by_id',
  'staged_by_name',
  'created_at',
] as const satisfies readonly (keyof ItemRow)[];

/** The items of a draft or of a change set, of all services or of these, in the order in which they were staged. */
export async function draftItems(
  kysely: Kysely<Tables>,
  { organizationId }: Pick<EnvironmentRef, 'organizationId'>,
  changeSetId: string,
  serviceIds?: readonly string[],
): Promise<ItemRow[]> {
  let query = tenant(kysely, organizationId)
    .selectFrom('change_set_item')
    .select(columns)
    .where('change_set_id', '=', changeSetId)
    .orderBy('created_at')
    .orderBy('id');
  if (serviceIds !== undefined) query = query.where(sql<boolean>`service_id = any(${serviceIds}::uuid[])`);
  return await query.execute();
}

/** A statement has at most 65,535 values. */
const mostRows = 1_000;

/** Answers when they were staged: the time of the transaction, one for all. */
export async function insertItems(
  kysely: Kysely<Tables>,
  organizationId: string,
  rows: readonly NewItemRow[],
): Promise<Date | undefined> {
  const own = tenant(kysely, organizationId);
  let at: Date | undefined;
  for (let from = 0; from < rows.length; from += mostRows) {
    const inserted = await own
      .insertInto('change_set_item')
      .values(rows.slice(from, from + mostRows))
      .returning('created_at')
      .execute();
    at = inserted[0]?.created_at;
  }
  return at;
}

export async function deleteItems(kysely: Kysely<Tables>, organizationId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tenant(kysely, organizationId)
    .deleteFrom('change_set_item')
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute();
}

/** The new value of an item that is not secret; `undefined` where something is unset or removed. */
export function itemValue({ to_value: to }: Pick<ItemRow, 'to_value'>): unknown {
  return to === '' ? undefined : JSON.parse(to);
}

/** The place that an item's secret is bound to. */
export function sealedPlace(id: string): string {
  return `change_set_item:${id}:sealed_to`;
}

/** Where an item belongs, for who asks for it by its id. */
export async function findItem(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<(EnvironmentRef & { id: string; projectId: string }) | undefined> {
  return await tenant(kysely, organizationId)
    .selectFrom('change_set_item')
    .innerJoin('environment', 'environment.id', 'change_set_item.environment_id')
    .select([
      'change_set_item.id',
      'change_set_item.environment_id as environmentId',
      'environment.organization_id as organizationId',
      'environment.project_id as projectId',
    ])
    .where('change_set_item.id', '=', id)
    .where('environment.deletion_id', 'is', null)
    .executeTakeFirst();
}
