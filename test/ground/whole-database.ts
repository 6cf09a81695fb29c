import type { Kysely } from 'kysely';
import type { AllTables } from '../../db/postgres/all-tables.ts';
import type { Database } from '../../db/postgres/database.ts';
import { acrossTenants } from '../../db/postgres/tenant.ts';

/** Tests look at the rows of all organizations; for the product's code it is a database like any other. */
export type WholeDatabase = Database & { readonly kysely: Kysely<AllTables> };

export function wholeDatabase(database: Database): WholeDatabase {
  return Object.assign(database, { kysely: acrossTenants(database.kysely) });
}
