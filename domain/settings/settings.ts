import { nearest } from '../nearest.ts';
import { path, type Setting } from './setting.ts';
import { backupSettings } from './table/backups.ts';
import { commandLineSettings } from './table/command-line.ts';
import { databaseAndTemporalSettings, wantsTls } from './table/database-and-temporal.ts';
import { installationSettings } from './table/installation.ts';
import { localClusterSettings } from './table/local-cluster.ts';
import { quotaSettings } from './table/quotas.ts';
import { registrySettings } from './table/registry.ts';
import { requestSettings } from './table/requests.ts';
import { signInSettings } from './table/sign-in.ts';
import { workerSettings } from './table/worker.ts';

/** Every setting there is. `ballast help` and the table in docs/operating.md are made from this, in this order. */
export const settingsTable = {
  ...installationSettings,
  ...commandLineSettings,
  ...registrySettings,
  ...backupSettings,
  ...databaseAndTemporalSettings,
  ...signInSettings,
  ...workerSettings,
  ...localClusterSettings,
  ...requestSettings,
  ...quotaSettings,
} as const satisfies Record<string, Setting<unknown>>;

type SettingName = keyof typeof settingsTable;
export type Settings = {
  readonly [Name in SettingName]: (typeof settingsTable)[Name] extends Setting<infer T> ? T : never;
};

/** Why settings that are right one by one cannot be meant together: a sentence, if there is a reason. */
function contradictionOf(settings: Settings): string | undefined {
  const { TEMPORAL_TLS_CERT_FILE: cert, TEMPORAL_TLS_KEY_FILE: key } = settings;
  if ((cert === undefined) !== (key === undefined)) {
    const [present, absent] = cert ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
    return `TEMPORAL_TLS_${present}_FILE is set without TEMPORAL_TLS_${absent}_FILE; set both or none.`;
  }
  if (!settings.TEMPORAL_TLS && wantsTls(settings)) {
    return 'TEMPORAL_TLS is false while TEMPORAL_API_KEY or a TEMPORAL_TLS_ setting wants TLS; remove one of them.';
  }
  if (settings.WORKER_METRICS_URL !== undefined && !staysPrivate(settings.WORKER_METRICS_URL)) {
    return 'WORKER_METRICS_URL is an http address on another machine, and the token for /metrics, which is sent there, can be read on the way; use https.';
  }
  const unsafe = unsafeProvider(settings);
  if (unsafe !== undefined) return unsafe;
  if (!isLoopback(settings.LISTEN) && !settings.PUBLIC_URL.startsWith('https:')) {
    return `LISTEN=${settings.LISTEN} can be reached from other machines, and PUBLIC_URL is ${settings.PUBLIC_URL}: passwords and tokens would cross the network in clear. Set PUBLIC_URL to an https address (of a proxy in front), or leave LISTEN at 127.0.0.1.`;
  }
  if (settings.OIDC_ISSUER !== undefined && settings.OIDC_CLIENT_ID === undefined) {
    return 'OIDC_ISSUER is set without OIDC_CLIENT_ID; set the client id that the provider gave you.';
  }
  return wrongBucket(settings);
}

/** An object has at most 10,000 parts, and chunks of clients may make them as small as S3 lets them be. */
const mostBytesInBucket = 10_000 * 5 * 1024 * 1024;

function wrongBucket(settings: Settings): string | undefined {
  const { REGISTRY_S3_BUCKET: bucket, REGISTRY_BYTES_PER_BLOB: most } = settings;
  const keys = ['REGISTRY_S3_ACCESS_KEY_ID', 'REGISTRY_S3_SECRET_ACCESS_KEY'] as const;
  if (bucket === undefined) {
    const alone = (['REGISTRY_S3_ENDPOINT', ...keys] as const).find((name) => settings[name] !== undefined);
    return alone && `${alone} is set without REGISTRY_S3_BUCKET; name the bucket, or unset it.`;
  }
  const missing = keys.find((name) => settings[name] === undefined);
  if (missing !== undefined) return `REGISTRY_S3_BUCKET is set without ${missing}; set the access key for the bucket.`;
  if (most <= mostBytesInBucket) return undefined;
  return `REGISTRY_BYTES_PER_BLOB is ${most}: in a bucket a layer may have at most ${mostBytesInBucket} bytes; set a lower limit.`;
}

/** Passwords travel there. */
function unsafeProvider({ BUILT_IN_PROVIDER_URL: url, BUILT_IN_PROVIDER_SOCKET: socket }: Settings) {
  if (url === undefined) return undefined;
  if (socket !== undefined) {
    return 'BUILT_IN_PROVIDER_SOCKET and BUILT_IN_PROVIDER_URL are both set; unset one of them.';
  }
  if (staysPrivate(url)) return undefined;
  return 'BUILT_IN_PROVIDER_URL is an http address on another machine, where passwords can be read on the way; use https.';
}

/** Whether nobody can read on the way what is sent to this address. */
function staysPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.');
}

/** A setting that is wrong or missing. The message is a sentence for people: what is wrong and what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

type Environment = Readonly<Record<string, string | undefined>>;

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
