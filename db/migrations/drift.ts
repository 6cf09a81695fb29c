import { migrate } from './migrate.ts';
import { migrationOrm } from './migration-orm.ts';

/** The difference between entities and migrations; undefined when they agree. */
export async function drift(emptyDatabaseUrl: string): Promise<string | undefined> {
  await migrate(emptyDatabaseUrl, () => undefined);
  const orm = migrationOrm(emptyDatabaseUrl);
  try {
    const { up } = await orm.schema.getUpdateSchemaMigrationSQL({ wrap: false });
    return up.trim() === ''
      ? undefined
      : `The entities and the migrations differ: write the missing migration with \`npm run migration -- <name>\`. The database would need:\n${up.trim()}`;
  } finally {
    await orm.close(true);
  }
}
