import { migrate } from './migrate.ts';
import { migrationOrm } from './migration-orm.ts';

/** The first difference between entities, migrations and snapshot; undefined when they agree. */
export async function drift(emptyDatabaseUrl: string): Promise<string | undefined> {
  await migrate(emptyDatabaseUrl, () => undefined);
  const orm = migrationOrm(emptyDatabaseUrl);
  try {
    const { up } = await orm.schema.getUpdateSchemaMigrationSQL({ wrap: false });
    if (up.trim() !== '') {
      return `The entities and the migrations differ: write the missing migration with \`node db/migrations/make-migration.ts\`. The database would need:\n${up.trim()}`;
    }
    if (await orm.migrator.checkSchema()) {
      return 'The entities and db/migrations/.snapshot.json differ: write the migration with `node db/migrations/make-migration.ts`, which renews it.';
    }
    return undefined;
  } finally {
    await orm.close(true);
  }
}
