import { openDatabase } from '../db/database.ts';
import { effect } from '../db/effect.ts';
import { openKeyring } from '../db/keys.ts';
import { createKeysFile } from '../db/keys-file.ts';
import { ensureLocalCluster } from '../db/local-cluster.ts';
import { migrate } from '../db/migrate.ts';
import { ensureDefaultOrganization } from '../db/organizations.ts';
import { required, type Settings } from '../domain/settings.ts';
import { machine } from './machine.ts';

export interface PreparedDatabase {
  /** Names of the migrations that were applied now. */
  applied: string[];
}

/**
 * Everything a database needs before the first request: its tables, the keys file, the keys that the file wraps, the
 * organization `default`. Each step does nothing when it was done before.
 */
export async function prepareDatabase(
  settings: Settings,
  onProgress: (text: string) => void,
): Promise<PreparedDatabase> {
  const url = required(settings, 'DATABASE_URL');
  const { applied } = await migrate(url, onProgress);
  const database = await openDatabase({ url, applicationName: 'ballast migrate', poolMax: 2 });
  try {
    await createKeysFile(settings.KEYS_FILE);
    // A file that does not belong to this database is noticed here, and not at the first secret.
    await openKeyring(database, settings.KEYS_FILE);
    await effect(database, machine(), async (change) => {
      await ensureDefaultOrganization(change);
      if (settings.LOCAL_CLUSTER) await ensureLocalCluster(change);
    });
    return { applied };
  } finally {
    await database.close();
  }
}
