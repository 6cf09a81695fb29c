import { openKeyring } from '../db/keys/keys.ts';
import { openDatabase } from '../db/postgres/database.ts';
import { required } from '../domain/settings/settings.ts';
import { settingsWithEmbedded } from './database/embedded-env.ts';
import { reachableDatabase } from './database/reachable-database.ts';
import { command } from './engine/command.ts';

export const keysRotate = command({
  summary: 'Creates a new key-encryption key and wraps every data key with it',
  usage: '[--json]',
  details: `For the machine that holds KEYS_FILE. Nothing has to be stopped. Back the file up afterwards: it is needed to read the
secrets of the database.`,
  options: { json: { type: 'boolean', what: 'Print JSON.' } },
  run: async ({ json }) => {
    const settings = settingsWithEmbedded();
    await reachableDatabase(settings);
    const database = await openDatabase({
      url: required(settings, 'DATABASE_URL'),
      applicationName: 'ballast keys rotate',
      poolMax: 2,
    });
    try {
      const rotation = await (await openKeyring(database, settings.KEYS_FILE)).rotate();
      const { current, rewrapped, dropped } = rotation;
      const said = `The key ${current} wraps ${rewrapped} data keys now; ${dropped.length} older keys were deleted. Back up ${settings.KEYS_FILE}.`;
      process.stdout.write(`${json ? JSON.stringify(rotation) : said}\n`);
    } finally {
      await database.close();
    }
  },
});
