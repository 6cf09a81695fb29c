import { openKeyring } from '../../db/keys/keys.ts';
import { openDatabase } from '../../db/postgres/database.ts';
import { required, type Settings } from '../../domain/settings/settings.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { openTemporal } from '../../temporal/connection/open.ts';
import { type WholeDatabase, wholeDatabase } from '../ground/whole-database.ts';

/** An installation's database and its Temporal, for what no public interface tells or makes. */
export interface Inside {
  database: WholeDatabase;
  temporal: Temporal;
  close(): Promise<void>;
}

export async function openInside(settings: Settings): Promise<Inside> {
  const url = required(settings, 'DATABASE_URL');
  const database = wholeDatabase(await openDatabase({ url, applicationName: 'ballast test', poolMax: 4 }));
  const { temporal } = await openTemporal(settings, await openKeyring(database, settings.KEYS_FILE));
  return {
    database,
    temporal,
    async close() {
      await temporal.close();
      await database.close();
    },
  };
}
