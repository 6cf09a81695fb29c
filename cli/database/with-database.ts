import { type Database, openDatabase } from '../../db/postgres/database.ts';
import { required, type Settings } from '../../domain/settings/settings.ts';
import { settingsWithEmbedded } from './embedded-env.ts';
import { reachableDatabase } from './reachable-database.ts';

/** For a command that changes or shows something in the database. `name` is seen in `pg_stat_activity`. */
export async function withDatabase<T>(
  name: string,
  work: (database: Database, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = settingsWithEmbedded();
  await reachableDatabase(settings);
  const database = await openDatabase({
    url: required(settings, 'DATABASE_URL'),
    applicationName: `ballast ${name}`,
    poolMax: 2,
  });
  try {
    return await work(database, settings);
  } finally {
    await database.close();
  }
}
