import { readSettings, type Settings } from '../domain/settings.ts';
import { embeddedSettings } from '../runtime/embedded-settings.ts';
import { readHome } from '../runtime/home.ts';

/**
 * The settings for a command that needs PostgreSQL or Temporal: what is not set leads to the embedded parts of the home,
 * if there is one. They are put into the environment too, since that is where the processes read them.
 */
export function settingsWithEmbedded(): Settings {
  const settings = readSettings(process.env);
  if (settings.DATABASE_URL !== undefined && settings.TEMPORAL_ADDRESS !== undefined) return settings;
  Object.assign(process.env, embeddedSettings(readHome(settings.BALLAST_HOME), settings));
  return readSettings(process.env);
}
