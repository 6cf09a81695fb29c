import { Client } from 'pg';
import { maintainFeedPartitions } from '../engine/feed/feed-partitions.ts';
import { ensureInstallation } from '../installation/ensure-installation.ts';
import { connectionOptions } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';
import { migrationOrm } from './migration-orm.ts';
import { schemaState } from './schema-state.ts';

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
    if ((await schemaState({ kysely })) === 'ahead') {
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

/**
 * Brings an empty database to the tables of a backup, which had these migrations. Refuses those that this version does not know;
 * what it has besides comes with `migrate`.
 */
export async function migrateTo(url: string, names: readonly string[]): Promise<void> {
  const orm = migrationOrm(url);
  try {
    const known = new Set((await orm.migrator.getPending()).map(({ name }) => name));
    const unknown = names.find((name) => !known.has(name));
    if (unknown !== undefined) {
      throw new Error(`The backup is of a newer version of Ballast (${unknown}): restore it by that version.`);
    }
    const last = names.at(-1);
    if (last !== undefined) await orm.migrator.up({ to: last });
    await maintainFeedPartitions({ kysely: orm.em.getKysely<Tables>() });
  } finally {
    await orm.close(true);
  }
}
