import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { createApp } from '../../api/app.ts';
import type { ClientProgram } from '../../api/client/client-routes.ts';
import type { ConsoleFiles } from '../../api/console/console-files.ts';
import type { Registry } from '../../api/engine/registry.ts';
import type { Clocks } from '../../api/engine/streams/clocks.ts';
import { createToken } from '../../db/api-tokens/api-tokens.ts';
import { effect } from '../../db/engine/effect.ts';
import { createKeysFile, type Keyring, openKeyring } from '../../db/keys/keys.ts';
import { type Database, openDatabase } from '../../db/postgres/database.ts';
import { createSession } from '../../db/sign-in/sessions.ts';
import type { Role, TokenRole } from '../../domain/roles.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { connectTemporal, type Temporal } from '../../temporal/connection/connect.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { createDelivery } from '../../temporal/delivery/delivery.ts';
import { freshDatabase } from '../ground/fresh-database.ts';
import { groundTemporal } from '../ground/ground-temporal.ts';
import { type WholeDatabase, wholeDatabase } from '../ground/whole-database.ts';
import { machine, seedMember, seedOrganization } from '../seeds/seed.ts';

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
  /** Cuts every open connection, as a proxy that is restarted does. */
  dropConnections(): Promise<void>;
  /** Another process, as far as HTTP can tell, on the same database. */
  twin(clocks?: Clocks): Promise<RunningApi>;
  close(): Promise<void>;
}

export interface Call {
  as?: Credential | undefined;
  organization?: string;
  csrf?: false;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export type Credential =
  | { token: string; id: string }
  | { session: string; id: string; userId: string; organizationId: string };

interface Options {
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
  return {
    url: address,
    app,
    database,
    databaseUrl: url,
    registryDirectory: settings.REGISTRY_DIRECTORY,
    keyring,
    temporal,
    lines,
    call: (method, path, more = {}) =>
      call(`${address}${path}`, method, options.manyClients === undefined ? more : fromSomewhere(more)),
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

export async function call(url: string, method: string, more: Call = {}): Promise<Answered> {
  const answer = await fetch(url, {
    method,
    headers: { ...headersOf(method, more), ...more.headers },
    redirect: 'manual',
    ...(more.body === undefined ? {} : { body: typeof more.body === 'string' ? more.body : JSON.stringify(more.body) }),
  });
  const text = await answer.text();
  const json = text !== '' && /json/.test(answer.headers.get('content-type') ?? '');
  return { status: answer.status, headers: answer.headers, text, body: json ? JSON.parse(text) : {} };
}

/** The headers that a well-behaved client sends with this credential. */
export function headersOf(method: string, { as, organization, csrf, body }: Call): Record<string, string> {
  const headers: Record<string, string> = {};
  if (as !== undefined && 'token' in as) headers.authorization = `Bearer ${as.token}`;
  if (as !== undefined && 'session' in as) {
    headers.cookie = `svc_session=${as.session}`;
    headers['x-svc-organization'] = as.organizationId;
    if (method !== 'GET' && csrf !== false) headers['x-svc-csrf'] = '1';
  }
  if (organization !== undefined) headers['x-svc-organization'] = organization;
  if (organization === '') delete headers['x-svc-organization'];
  if (body !== undefined) headers['content-type'] = 'application/json';
  return headers;
}

/** An organization with a token and a session of each role. */
export interface Seeded {
  organizationId: string;
  slug: string;
  tokens: Record<TokenRole, Credential>;
  /** An administrator's token that is limited to chosen projects, of which there are none. */
  limited: Credential;
  sessions: Record<Role, Credential & { userId: string }>;
}

export async function seed(database: Database, slug?: string): Promise<Seeded> {
  const organizationId = await seedOrganization(database, slug);
  const row = await database.kysely
    .selectFrom('organization')
    .select('slug')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const token = (role: TokenRole, projectIds?: string[]) => seedToken(database, organizationId, role, projectIds);
  const session = (role: Role) => seedSession(database, organizationId, role);
  return {
    organizationId,
    slug: row.slug,
    tokens: { viewer: await token('viewer'), deployer: await token('deployer'), admin: await token('admin') },
    limited: await token('admin', []),
    sessions: {
      viewer: await session('viewer'),
      deployer: await session('deployer'),
      admin: await session('admin'),
      owner: await session('owner'),
    },
  };
}

export async function seedToken(
  database: Database,
  organizationId: string,
  role: TokenRole,
  projectIds?: string[],
): Promise<Credential & { token: string }> {
  const made = await effect(database, machine, (running) =>
    createToken(running, { organizationId, name: `${role} token`, role, projectIds }),
  );
  return { token: made.secret, id: made.row.id };
}

export async function seedSession(database: Database, organizationId: string, role: Role, userId?: string) {
  const user = userId ?? (await seedMember(database, organizationId, role));
  const made = await effect(database, machine, (running) =>
    createSession(running, { userId: user, lifetimeSeconds: 3600 }),
  );
  return { session: made.secret, id: made.id, userId: user, organizationId };
}
