import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { type Logger, pino } from 'pino';
import { createApp } from '../../api/app.ts';
import type { ClientProgram } from '../../api/client/client-routes.ts';
import type { ConsoleFiles } from '../../api/console/console-files.ts';
import type { Registry } from '../../api/engine/registry.ts';
import type { Clocks } from '../../api/engine/streams/clocks.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { createKeysFile, type Keyring, openKeyring } from '../../db/keys/keys.ts';
import type { AllTables } from '../../db/postgres/all-tables.ts';
import { type Database, openDatabase } from '../../db/postgres/database.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { connectTemporal, type Temporal } from '../../temporal/connection/connect.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { createDelivery } from '../../temporal/delivery/delivery.ts';
import { type Client, clientOf, type Organization, organizationOf } from '../api/client.ts';
import { type Answered, type Call, type Credential, call, seed } from '../api/seeded.ts';
import { freshDatabase } from '../ground/fresh-database.ts';
import { groundTemporal } from '../ground/ground-temporal.ts';
import { type WholeDatabase, wholeDatabase } from '../ground/whole-database.ts';
import { Rows } from '../rows/rows.ts';
import { machine } from '../seeds/seed.ts';

export {
  type Answered,
  type Call,
  type Credential,
  call,
  headersOf,
  type Seeded,
  seed,
  seedSession,
  seedToken,
} from '../api/seeded.ts';

export interface RunningApi {
  url: string;
  app: FastifyInstance;
  database: WholeDatabase;
  databaseUrl: string;
  /** Where its registry keeps images. */
  registryDirectory: string;
  keyring: Keyring;
  temporal: Temporal;
  /** The lines logged so far, parsed. */
  lines: Record<string, unknown>[];
  call(method: string, path: string, more?: Call): Promise<Answered>;
  /** Requests with a credential, or none. */
  as(credential?: Credential): Client;
  /** One transaction, whose author is the machine. */
  effect<T>(work: (effect: Effect) => Promise<T>): Promise<T>;
  /** Asks its database, and answers the rows. */
  sql<Row = unknown>(text: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>;
  /** Rows of all organizations. */
  rows: Rows<AllTables>;
  /** A new organization, whose credentials are its clients. */
  organization(slug?: string): Promise<Organization>;
  /** Cuts every open connection, as a proxy that is restarted does. */
  dropConnections(): Promise<void>;
  /** Another process, as far as HTTP can tell, on the same database. */
  twin(clocks?: Clocks): Promise<RunningApi>;
  close(): Promise<void>;
}

export interface Options {
  env?: Record<string, string>;
  clocks?: Clocks;
  namespace?: string;
  operations?: Registry;
  /** Without it the console is not built yet. */
  consoleFiles?: ConsoleFiles;
  /** Without it no command line is given away. */
  clientProgram?: ClientProgram;
  /** Each request comes from an address of its own, so that limits for an address are not met. */
  manyClients?: true;
  /** Host and port of a proxy through which the API reaches its database. */
  databaseAt?: string;
  /** The same for its Temporal. */
  temporalAt?: string;
  /** The database and the keys of others, such as a worker; its own otherwise. */
  beside?: { url: string; keysFile: string };
  /** No statement waits longer for a lock. */
  lockTimeoutMillis?: number;
  /** Given its database before anything is asked of it. */
  onDatabase?: (database: Database) => void;
}

/** The API with a database of its own, listening on a free port. */
export async function runningApi(options: Options = {}): Promise<RunningApi> {
  if (options.beside !== undefined) return await listen(options.beside.url, options.beside.keysFile, options);
  const fresh = await freshDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'ballast-api-'));
  const keysFile = join(directory, 'keys.json');
  await createKeysFile(keysFile);
  const url = new URL(fresh.url);
  if (options.databaseAt !== undefined) url.host = options.databaseAt;
  const first = await listen(url.href, keysFile, options);
  return {
    ...first,
    close: async () => {
      await first.close();
      await fresh.drop();
      await rm(directory, { recursive: true });
    },
  };
}

async function listen(url: string, keysFile: string, options: Options): Promise<RunningApi> {
  const env = {
    REGISTRY_DIRECTORY: join(dirname(keysFile), 'registry'),
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
    ...(options.manyClients === undefined ? {} : { TRUSTED_PROXIES: '127.0.0.1' }),
    ...options.env,
  };
  const settings = readSettings({ ...env, DATABASE_URL: url });
  const lines: Record<string, unknown>[] = [];
  const log: Logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const database = wholeDatabase(
    await openDatabase({
      url,
      applicationName: 'ballast test api',
      poolMax: settings.DATABASE_POOL,
      statementTimeoutMillis: settings.REQUEST_TIMEOUT,
      ...(options.lockTimeoutMillis === undefined ? {} : { lockTimeoutMillis: options.lockTimeoutMillis }),
    }),
  );
  options.onDatabase?.(database);
  const keyring = await openKeyring(database, keysFile);
  const temporal = connectTemporal({
    ...(await groundTemporal(options.namespace ?? 'nowhere', options.temporalAt)),
    keys: payloadKeys(keyring),
  });
  const app = await createApp({
    settings,
    database,
    keyring,
    temporal,
    delivery: createDelivery({ database, temporal, log }),
    log,
    ...(options.clocks === undefined ? {} : { clocks: options.clocks }),
    ...(options.operations === undefined ? {} : { operations: options.operations }),
    ...(options.consoleFiles === undefined ? {} : { consoleFiles: options.consoleFiles }),
    ...(options.clientProgram === undefined ? {} : { clientProgram: options.clientProgram }),
  });
  const port = options.env?.PORT === undefined ? 0 : settings.PORT;
  const address = await app.listen({ host: '127.0.0.1', port });
  const ask: RunningApi['call'] = (method, path, more = {}) =>
    call(`${address}${path}`, method, options.manyClients === undefined ? more : fromSomewhere(more));
  return {
    url: address,
    app,
    database,
    databaseUrl: url,
    registryDirectory: settings.REGISTRY_DIRECTORY,
    keyring,
    temporal,
    lines,
    call: ask,
    as: (credential) => clientOf(ask, credential),
    effect: (work) => effect(database, machine, work),
    sql: async <Row>(text: TemplateStringsArray, ...values: unknown[]) =>
      (await sql<Row>(text, ...values).execute(database.kysely)).rows,
    rows: new Rows<AllTables>(database.kysely),
    organization: async (slug) => organizationOf(await seed(database, slug), { database, call: ask }),
    dropConnections: async () => app.server.closeAllConnections(),
    twin: (clocks) => listen(url, keysFile, clocks === undefined ? options : { ...options, clocks }),
    close: async () => {
      await app.close();
      await temporal.close();
      await database.close();
    },
  };
}

function fromSomewhere(more: Call): Call {
  const [a, b, c] = randomBytes(3);
  return { ...more, headers: { 'x-forwarded-for': `10.${a}.${b}.${c}`, ...more.headers } };
}
