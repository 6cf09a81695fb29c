import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureLocalCluster } from '../../db/clusters/local-cluster.ts';
import { effect } from '../../db/engine/effect.ts';
import { tellRestored } from '../../db/installation/tell-restored.ts';
import { openKeyring } from '../../db/keys/keys.ts';
import { createKeysFile } from '../../db/keys/keys-file.ts';
import { migrate } from '../../db/migrations/migrate.ts';
import { ensureDefaultOrganization } from '../../db/organizations/organizations.ts';
import { openDatabase } from '../../db/postgres/database.ts';
import { required, type Settings } from '../../domain/settings/settings.ts';
import { machine } from '../database/machine.ts';

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
    const restored = join(settings.BALLAST_HOME, 'restored.json');
    if (existsSync(restored)) {
      await tellRestored(database.kysely);
      // Told twice after a crash here: that only counts further on.
      rmSync(restored);
    }
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
