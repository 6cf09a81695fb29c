import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, type Settings } from '../../domain/settings/settings.ts';
import { embeddedSettings, embedsProvider } from '../../runtime/embedded-settings.ts';
import { readHome } from '../../runtime/home/home.ts';

/**
 * The settings for a command that needs PostgreSQL, Temporal or the provider: what is not set leads to the embedded parts of the home,
 * if there is one. They are put into the environment too, since that is where the processes read them.
 */
export function settingsWithEmbedded(): Settings {
  const settings = readSettings(process.env);
  const complete = settings.DATABASE_URL !== undefined && settings.TEMPORAL_ADDRESS !== undefined;
  if (complete && (!embedsProvider(settings) || !existsSync(join(settings.BALLAST_HOME, 'home.json')))) return settings;
  Object.assign(process.env, embeddedSettings(readHome(settings.BALLAST_HOME), settings));
  return readSettings(process.env);
}
