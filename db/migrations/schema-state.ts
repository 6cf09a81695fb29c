import { readdirSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';

export type SchemaState = 'current' | 'behind' | 'ahead';

/** The names of the migrations by their files: reading those would load MikroORM into every process that asks. */
const known: ReadonlySet<string> = new Set(
  readdirSync(import.meta.dirname).flatMap((file) => /^(Migration\d+_\w+)\.ts$/.exec(file)?.[1] ?? []),
);

/** How the database's schema stands to this version: `ahead` means that a newer version has migrated it. */
export async function schemaState({ kysely }: Pick<Database, 'kysely'>): Promise<SchemaState> {
  const applied = await appliedMigrations(kysely);
  if ([...applied].some((name) => !known.has(name))) return 'ahead';
  return applied.size === known.size ? 'current' : 'behind';
}

/** This program is older than its database. The message is for people. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';

  constructor() {
    super('The database was migrated by a newer version of Ballast; start that version.');
  }
}

/** The database is there, and its schema is older than this program. */
export class NotMigrated extends Error {
  override readonly name = 'NotMigrated';

  constructor() {
    super('The database is not migrated yet; `ballast migrate` does that.');
  }
}

/** Throws unless the database has the schema that this program was written for. */
export async function requireSchema(database: Pick<Database, 'kysely'>): Promise<void> {
  const state = await schemaState(database);
  if (state === 'ahead') throw new NewerSchema();
  if (state === 'behind') throw new NotMigrated();
}

async function appliedMigrations(kysely: Kysely<Tables>): Promise<Set<string>> {
  try {
    const { rows } = await sql<{ name: string }>`select name from migration`.execute(kysely);
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    const undefinedTable = '42P01';
    if (error instanceof Error && 'code' in error && error.code === undefinedTable) return new Set();
    throw error;
  }
}
