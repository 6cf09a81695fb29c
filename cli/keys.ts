import { openKeyring } from '../db/keys/keys.ts';
import { withDatabase } from './database/with-database.ts';
import { command, jsonOption } from './engine/command.ts';

export const keysRotate = command({
  summary: 'Creates a new key-encryption key and wraps every data key with it',
  usage: '[--json]',
  details: `For the machine that holds KEYS_FILE. Nothing has to be stopped. Back the file up afterwards: it is needed to read the
secrets of the database.`,
  options: jsonOption,
  run: () =>
    withDatabase('keys rotate', async (database, settings) => {
      const rotation = await (await openKeyring(database, settings.KEYS_FILE)).rotate();
      const { current, rewrapped, dropped } = rotation;
      return {
        jsonLine: rotation,
        text: `The key ${current} wraps ${rewrapped} data keys now; ${dropped.length} older keys were deleted. Back up ${settings.KEYS_FILE}.`,
      };
    }),
});
