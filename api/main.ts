import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import { attend } from '../db/engine/attend.ts';
import { removeProcess } from '../db/engine/processes/processes.ts';
import { NewerSchema } from '../db/migrations/schema-state.ts';
import { longestLockWaitMillis, openDatabase } from '../db/postgres/database.ts';
import { readSettings, required, type Settings, SettingsError } from '../domain/settings/settings.ts';
import { programVersion } from '../domain/version.ts';
import { listenOnSocket, SocketTaken } from '../machine/listen-on-socket.ts';
import { runProcess } from '../machine/run-process.ts';
import { openTemporal } from '../temporal/connection/open.ts';
import { createDelivery } from '../temporal/delivery/delivery.ts';
import type { AgentProgram } from './agent-releases/agent-program.ts';
import { createApp } from './app.ts';
import type { ClientProgram } from './client/client-routes.ts';
import { ConsoleFiles } from './console/console-files.ts';
import { keyringWhenOpen } from './engine/server/keyring-when-open.ts';
import { CannotListen, listen } from './engine/server/listen.ts';
import { openLog } from './engine/server/log.ts';

/** The supervisor's part; without a supervisor the process opens its own port, and nobody waits to be told. */
interface HandedOver {
  sockets: readonly number[];
  onReady(): void;
}

/** The API as a process. */
export function main(handed: HandedOver = { sockets: [], onReady: () => {} }): Promise<void> {
  return runProcess({
    work: async (signal) => {
      const settings = readSettings(process.env);
      await serve({ settings, handed, log: openLog(settings.LOG_LEVEL), signal });
    },
    foreseen: [SettingsError, NewerSchema, CannotListen, SocketTaken],
    longestShutdown: 8_000,
  });
}

interface Serving {
  settings: Settings;
  handed: HandedOver;
  log: Logger;
  signal: AbortSignal;
}

/** Listens at once, whether PostgreSQL and Temporal are there or not, and gets ready when they come. */
async function serve({ settings, handed, log, signal }: Serving): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  // Loaded only when somebody collects traces: the packages take as long and as much memory as the half of all the rest.
  const tracing =
    endpoint === undefined ? undefined : (await import('./engine/server/tracing.ts')).startTracing(endpoint);
  opened.defer(() => tracing?.shutdown());
  const database = await openDatabase({
    url: required(settings, 'DATABASE_URL'),
    applicationName: 'ballast api',
    poolMax: settings.DATABASE_POOL,
    statementTimeoutMillis: settings.REQUEST_TIMEOUT,
    lockTimeoutMillis: Math.min(longestLockWaitMillis, settings.REQUEST_TIMEOUT),
    onWarning: (what) => log.warn({ what }, 'Database'),
  });
  opened.defer(() => database.close());
  database.onAlarm(({ actorId, message }) => log.error({ actor: actorId }, message));
  const keys = keyringWhenOpen(database, settings.KEYS_FILE);
  const { temporal } = await openTemporal(settings, keys.keyring, tracing?.clientInterceptors);
  opened.defer(() => temporal.close());
  const processId = uuid();
  const consoleFiles = new ConsoleFiles();
  const app = await createApp({
    settings,
    database,
    keyring: keys.keyring,
    temporal,
    delivery: createDelivery({ database, temporal, log }),
    log,
    processId,
    agentProgram: agentProgram(),
    clientProgram: clientProgram(settings),
    consoleFiles,
  });
  let stopSocket: (() => Promise<void>) | undefined;
  opened.defer(async () => {
    const answered = stopSocket?.();
    await app.close();
    await answered;
    // Without a database nobody can be told; a process that is silent counts as gone anyway.
    await removeProcess(database.kysely, processId).catch(() => undefined);
  });
  const { port, address } = await listen(app, settings, handed.sockets);
  if (settings.API_SOCKET !== undefined)
    stopSocket = await listenOnSocket(app.server, settings.API_SOCKET, 'API_SOCKET');
  log.info({ address }, 'The API listens');
  const ready = tellWhenReady(app, handed, signal);
  let prepared: Promise<void> | undefined;
  const attendance = attend({
    database,
    process: { id: processId, kind: 'api', version: programVersion, state: { port, publicUrl: settings.PUBLIC_URL } },
    open: () => keys.open(),
    // Not before the API can be used: at a start there is enough to do.
    onBeat: () => {
      app.lookAtParts().catch((error: unknown) => log.warn({ err: error }, 'Whether a part is down could not be read'));
      prepared ??= consoleFiles.prepare(() => buildConsole(settings, signal), log, signal);
    },
    log,
    signal,
  });
  await attendance.ended;
  log.info('The API stops');
  await Promise.all([prepared, ready]);
}

/** Once: a supervisor that waits for this process continues then, and asks `/readyz` for more. */
async function tellWhenReady(app: FastifyInstance, { onReady }: HandedOver, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await app.readiness()).ready) {
    await pause(100, undefined, { signal }).catch(() => undefined);
  }
  if (!signal.aborted) onReady();
}

/** By its own program, which knows how and where it is kept. */
async function buildConsole({ BALLAST_HOME }: Settings, signal: AbortSignal): Promise<string> {
  const { keptConsole } = await import('../web/build/kept-console.ts');
  return keptConsole(join(BALLAST_HOME, 'cache'), signal);
}

function agentProgram(): AgentProgram {
  return {
    async installScript(parts) {
      const { installScript } = await import('../agent/join/install-script.ts');
      return installScript(parts);
    },
  };
}

/** Made when somebody wants it. What failed is tried again by the next one: the disk may have been full. */
function clientProgram({ BALLAST_HOME, PUBLIC_URL }: Settings): ClientProgram {
  let made: ReturnType<ClientProgram> | undefined;
  return () => {
    made ??= import('../cli/client/kept-client.ts')
      .then(({ keptClient }) => keptClient(join(BALLAST_HOME, 'cache'), PUBLIC_URL))
      .catch((error: unknown) => {
        made = undefined;
        throw error;
      });
    return made;
  };
}

if (import.meta.main) await main();
