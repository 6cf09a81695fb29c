import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import { beat, removeProcess } from '../db/engine/processes.ts';
import { openKeyring } from '../db/keys/keys.ts';
import { schemaState } from '../db/migrations/schema-state.ts';
import { connectionFailure } from '../db/postgres/connection-failure.ts';
import { type Database, openDatabase } from '../db/postgres/database.ts';
import { readSettings, required, type Settings, SettingsError } from '../domain/settings/settings.ts';
import { programVersion } from '../domain/version.ts';
import { createPages } from './pages/routes.ts';
import { listen, placeOf } from './provider/listen.ts';
import { openLog } from './provider/log.ts';
import { createProvider } from './provider/provider.ts';
import { createIdentityServer, type OpenProvider } from './provider/server.ts';

const beatMillis = 5_000;
const retryMillis = 250;
const longestAnswer = 1_500;
const longestShutdown = 3_000;

/** Something that people can mend; the message says how. */
class CannotStart extends Error {}

/** Something is not there yet and will come. */
class NotYet extends Error {}

/** The built-in OpenID provider as a process: `onReady` is called once it can be used. It ends with 0 when it is asked to, with 1 and a sentence when it cannot work. */
export async function main(onReady: () => void = () => {}): Promise<void> {
  const stopping = new AbortController();
  const stop = () => {
    stopping.abort();
    setTimeout(() => process.exit(0), longestShutdown).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  try {
    const settings = readSettings(process.env);
    await serve({ settings, onReady, log: openLog(settings.LOG_LEVEL), signal: stopping.signal });
  } catch (error) {
    if (!stopping.signal.aborted) {
      process.exitCode = 1;
      process.stderr.write(`${sentenceOf(error)}\n`);
    }
  }
  process.exit();
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
  let told = 'not looked yet';
  const server = createIdentityServer({
    publicUrl: settings.PUBLIC_URL,
    log,
    open: () => provider,
    ready: () => provider !== undefined && told === '',
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

  while (!signal.aborted) {
    try {
      const schema = await schemaState(database);
      if (schema === 'ahead') {
        throw new CannotStart('The database was migrated by a newer version of Ballast; start that version.');
      }
      if (schema === 'behind') throw new NotYet('The database is not migrated yet; `ballast migrate` does that.');
      provider ??= await openProvider(database, settings, log);
      await beat(database.kysely, { id, kind: 'identity', version: programVersion, state: place });
      told = '';
      onReady();
    } catch (error) {
      if (error instanceof CannotStart) throw error;
      const why = error instanceof Error ? error.message : String(error);
      const expected = error instanceof NotYet || connectionFailure(error);
      if (why !== told) log.warn(expected ? { why } : { err: error }, 'Waiting for the database');
      told = why;
    }
    await pause(told === '' ? beatMillis : retryMillis, undefined, { signal }).catch(() => undefined);
  }
  log.info('The identity provider stops');
}

async function openProvider(database: Database, settings: Settings, log: Logger): Promise<OpenProvider> {
  const keyring = await openKeyring(database, settings.KEYS_FILE);
  const provider = await createProvider({ database, key: keyring.identityKey(), settings, log });
  return { pages: createPages({ provider, database, keyring, settings, log }), protocol: provider.callback() };
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = error instanceof SettingsError || error instanceof CannotStart;
  return expected ? error.message : (error.stack ?? error.message);
}

if (import.meta.main) await main();
