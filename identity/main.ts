import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import { type Attendance, attend } from '../db/engine/attend.ts';
import { removeProcess } from '../db/engine/processes/processes.ts';
import { openKeyring } from '../db/keys/keys.ts';
import { NewerSchema } from '../db/migrations/schema-state.ts';
import { type Database, openDatabase } from '../db/postgres/database.ts';
import { readSettings, required, type Settings, SettingsError } from '../domain/settings/settings.ts';
import { programVersion } from '../domain/version.ts';
import { runProcess } from '../machine/run-process.ts';
import { createPages } from './pages/routes.ts';
import { listen, placeOf } from './provider/listen.ts';
import { openLog } from './provider/log.ts';
import { createProvider } from './provider/provider.ts';
import { createIdentityServer, type OpenProvider } from './provider/server.ts';

const longestAnswer = 1_500;

/** Something that people can mend; the message says how. */
class CannotStart extends Error {}

/** The built-in OpenID provider as a process: `onReady` is called once it can be used. */
export function main(onReady: () => void = () => {}): Promise<void> {
  return runProcess({
    work: async (signal) => {
      const settings = readSettings(process.env);
      await serve({ settings, onReady, log: openLog(settings.LOG_LEVEL), signal });
    },
    foreseen: [SettingsError, NewerSchema, CannotStart],
    longestShutdown: 3_000,
  });
}

interface Serving {
  settings: Settings;
  onReady: () => void;
  log: Logger;
  signal: AbortSignal;
}

/** Listens at once, whether PostgreSQL is there or not, and gets ready when it comes. */
async function serve({ settings, onReady, log, signal }: Serving): Promise<void> {
  if (settings.OIDC_ISSUER !== undefined) {
    throw new CannotStart('OIDC_ISSUER names another provider; unset it to use the built-in one.');
  }
  const place = placeOf(settings);
  await using opened = new AsyncDisposableStack();
  const database = await openDatabase({
    url: required(settings, 'DATABASE_URL'),
    applicationName: 'ballast identity',
    poolMax: settings.DATABASE_POOL,
    statementTimeoutMillis: settings.REQUEST_TIMEOUT,
    onWarning: (what) => log.warn({ what }, 'Database'),
  });
  opened.defer(() => database.close());
  let provider: OpenProvider | undefined;
  let attendance: Attendance | undefined;
  const server = createIdentityServer({
    publicUrl: settings.PUBLIC_URL,
    log,
    open: () => provider,
    ready: () => provider !== undefined && attendance?.there() === true,
  });
  const id = uuid();
  opened.defer(async () => {
    // Who is being answered gets the answer.
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    await Promise.race([closed, pause(longestAnswer)]);
    server.closeAllConnections();
    await removeProcess(database.kysely, id).catch(() => undefined);
  });
  await listen(server, place);
  log.info(place, 'The identity provider listens');

  attendance = attend({
    database,
    process: { id, kind: 'identity', version: programVersion, state: place },
    open: async () => {
      provider ??= await openProvider(database, settings, log);
    },
    onBeat: onReady,
    log,
    signal,
  });
  await attendance.ended;
  log.info('The identity provider stops');
}

async function openProvider(database: Database, settings: Settings, log: Logger): Promise<OpenProvider> {
  const keyring = await openKeyring(database, settings.KEYS_FILE);
  const provider = await createProvider({ database, key: keyring.identityKey(), settings, log });
  return { pages: createPages({ provider, database, keyring, settings, log }), protocol: provider.callback() };
}

if (import.meta.main) await main();
