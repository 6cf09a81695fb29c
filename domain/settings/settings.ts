import { nearest } from '../nearest.ts';
import { contradictionOf } from './contradictions.ts';
import { path, type Setting } from './setting.ts';
import { type SettingName, type Settings, settingsTable } from './settings-table.ts';

export type { Settings } from './settings-table.ts';

/** A setting that is wrong or missing. The message is a sentence for people: what is wrong and what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings from the environment; throws a `SettingsError` that names the first one at fault. */
export function readSettings(env: Environment): Settings {
  const settings = readSome(env, Object.keys(settingsTable) as SettingName[]);
  const contradiction = contradictionOf(settings);
  if (contradiction !== undefined) throw new SettingsError(contradiction);
  return settings;
}

/** These alone. A default that follows from another setting needs that one before it. */
export function readSome<Name extends SettingName>(env: Environment, names: readonly Name[]): Pick<Settings, Name> {
  refuseMisspelt(env, names);
  const read: Record<string, unknown> = {};
  for (const name of names) read[name] = readOne(name, settingsTable[name], env[name], read);
  return read as Pick<Settings, Name>;
}

/** The paths that are given, as they are meant here: a process that works in another directory would read others. */
export function givenPaths(env: Environment): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, { parse }] of Object.entries<Setting<unknown>>(settingsTable)) {
    const value = env[name]?.trim();
    const meant = parse === path.parse && value ? path.parse(value) : undefined;
    if (meant !== undefined) given[name] = meant;
  }
  return given;
}

/** The value of a setting that this process cannot do without. */
export function required<Name extends SettingName>(settings: Settings, name: Name): NonNullable<Settings[Name]> {
  const value = settings[name];
  if (value === undefined || value === null) {
    throw new SettingsError(`${name} is not set; set it (for example ${name}=${settingsTable[name].example}).`);
  }
  return value;
}

function readOne(
  name: string,
  one: Setting<unknown>,
  given: string | undefined,
  above: Record<string, unknown>,
): unknown {
  const value = given?.trim();
  if (value === undefined || value === '')
    return typeof one.fallback === 'function' ? one.fallback(above) : one.fallback;
  const parsed = one.parse(value);
  if (parsed === undefined) {
    const said = one.secret ? 'cannot be read' : `is ${JSON.stringify(value)}`;
    throw new SettingsError(`${name} ${said}: it must be ${one.form} (for example ${name}=${one.example}).`);
  }
  return parsed;
}

/**
 * A variable that is nearly the name of a setting is refused: TEMPORAL_ADRESS would silently start an embedded Temporal.
 * Others are left alone, because clusters of machines inject variables of their own (BALLAST_SERVICE_HOST).
 */
function refuseMisspelt(env: Environment, names: readonly SettingName[]): void {
  const long = names.filter((name) => name.length >= 9 && name.includes('_'));
  for (const name of Object.keys(env)) {
    if (name in settingsTable || !env[name] || !name.includes('_')) continue;
    const meant = nearest(name, long, 1);
    if (meant) throw new SettingsError(`${name} is not a setting; did you mean ${meant}? Rename or unset it.`);
  }
}
