import type { GeneratedAlways, Kysely } from 'kysely';
import type { AllTables } from './all-tables.ts';
import type { Tables } from './tables.ts';
import { tenantConditions } from './tenant-conditions.ts';
import type { GuardedTable, TenantTable } from './tenant-tables.ts';

/** The tables as one organization has them: `organization_id` can be read, and is written by the guard alone. */
export type OwnTables = Omit<AllTables, TenantTable> & {
  [Table in TenantTable]: Omit<AllTables[Table], 'organization_id'> & { organization_id: GeneratedAlways<string> };
};

/**
 * The rows of one organization: statements get its condition and inserts its id, so that neither can be forgotten. The
 * types give tables of reference data to nobody who has not said this, or acrossTenants.
 */
export function tenant(kysely: Kysely<Tables>, organizationId: string): Kysely<OwnTables> {
  const guarded = kysely.withPlugin(tenantConditions(organizationId));
  return guarded.$omitTables<Extract<TenantTable, keyof Tables>>().$extendTables<Pick<OwnTables, TenantTable>>();
}

/** The rows of all organizations, for what serves them all: credentials, a person's memberships, sweeps. */
export function acrossTenants(kysely: Kysely<Tables>): Kysely<AllTables> {
  return kysely.$extendTables<Pick<AllTables, GuardedTable>>();
}
