import { Client } from 'pg';
import { maintainFeedPartitions } from '../engine/feed/feed-partitions.ts';
import { ensureInstallation } from '../installation/ensure-installation.ts';
import { connectionOptions, type Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';
import { migrations } from './index.ts';
import { migrationOrm } from './migration-orm.ts';

/**
 * Brings the database to this version's schema. Two that run at once: the second waits for the first and then finds
 * nothing to do. Refuses a database that a newer version has migrated.
 */
export async function migrate(url: string, onProgress: (message: string) => void): Promise<{ applied: string[] }> {
  const lock = new Client({
    connectionString: url,
    ...connectionOptions({ applicationName: 'ballast migrate lock', statementTimeoutMillis: 0 }),
  });
  // The lock goes with the connection; the statements of the migration fail by themselves when the server does.
  lock.on('error', () => undefined);
  await lock.connect();
  const orm = migrationOrm(url);
  try {
    await lock.query(`select pg_advisory_lock(hashtextextended('ballast migrate', 0))`);
    const kysely = orm.em.getKysely<Tables>();
    if (compare(await appliedMigrations((query) => lock.query(query))) === 'ahead') {
      throw new Error(
        'The database was migrated by a newer version of Ballast: start that version, or restore a backup.',
      );
    }
    orm.migrator.on('migrating', ({ name }) => onProgress(`Applying ${name}`));
    const applied = (await orm.migrator.up()).map(({ name }) => name);
    await ensureInstallation(kysely);
    await maintainFeedPartitions({ kysely });
    return { applied };
  } finally {
    await orm.close(true);
    await lock.end().catch(() => undefined);
  }
}

export type SchemaState = 'current' | 'behind' | 'ahead';

/** How the database's schema stands to this version: `ahead` means that a newer version has migrated it. */
export async function schemaState(database: Database): Promise<SchemaState> {
  return compare(
    await appliedMigrations((query) => database.orm.em.getConnection().execute<{ name: string }[]>(query)),
  );
}

function compare(applied: Set<string>): SchemaState {
  const known = new Set(migrations.map(({ name }) => name));
  if ([...applied].some((name) => !known.has(name))) return 'ahead';
  return applied.size === known.size ? 'current' : 'behind';
}

type Rows = { name: string }[];

async function appliedMigrations(run: (query: string) => Promise<Rows | { rows: Rows }>): Promise<Set<string>> {
  try {
    const result = await run('select name from migration');
    return new Set((Array.isArray(result) ? result : result.rows).map(({ name }) => name));
  } catch (error) {
    const undefinedTable = '42P01';
    if (error instanceof Error && 'code' in error && error.code === undefinedTable) return new Set();
    throw error;
  }
}
