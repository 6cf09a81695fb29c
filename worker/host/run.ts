import { join } from 'node:path';
import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import { attemptTurns } from '../../activities/attempts/turns.ts';
import { createActivities } from '../../activities/index.ts';
import { pokeReaders } from '../../db/engine/feed/poke-readers.ts';
import { temporalAwaySince } from '../../db/engine/processes/processes.ts';
import { openKeyring } from '../../db/keys/keys.ts';
import { keepMetricsToken } from '../../db/keys/metrics-token.ts';
import { longestLockWaitMillis, openDatabase } from '../../db/postgres/database.ts';
import { required, type Settings } from '../../domain/settings/settings.ts';
import { programVersion } from '../../domain/version.ts';
import { outboundRules } from '../../outbound/rules.ts';
import { openTemporal } from '../../temporal/connection/open.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import { createDelivery } from '../../temporal/delivery/delivery.ts';
import { archiveRuns, startArchive } from '../duties/archive.ts';
import { startBeat } from '../duties/beat.ts';
import { startReconciler } from '../duties/reconciler.ts';
import { startRelay } from '../duties/relay.ts';
import { startSweepers } from '../duties/sweepers.ts';
import { watchTemporal } from '../duties/watch-temporal.ts';
import { workflowBundle } from './bundle.ts';
import { hostActors } from './host.ts';
import { openHttp, type WorkerState } from './http.ts';
import { openMetrics } from './metrics.ts';
import { readyDatabase, retrying } from './ready.ts';
import { installSdk } from './sdk.ts';

/** The supervisor's handles; without a supervisor the worker opens its own port and reports readiness to nobody. */
export interface HandedOver {
  sockets: readonly number[];
  onReady(): void;
}

interface Running {
  settings: Settings;
  handed: HandedOver;
  log: Logger;
  signal: AbortSignal;
}

/**
 * One worker, from its first log line until the signal. What it needs may come later or go away: it waits for it and
 * goes on. Only a database of a newer version, or a wrong setting, makes it give up.
 */
export async function runWorker({ settings, handed, log, signal }: Running): Promise<void> {
  // Resources close in the reverse order of opening, whatever happens in between.
  await using opened = new AsyncDisposableStack();
  const url = required(settings, 'DATABASE_URL');
  const outbound = await outboundRules(settings);
  const state: WorkerState = { ready: false, parts: { database: 'waiting', temporal: 'waiting', actors: 'waiting' } };
  const metrics = openMetrics(await installSdk(log));
  const [fd] = handed.sockets;
  const at = fd === undefined ? { port: settings.WORKER_PORT } : { fd };
  const { WORKER_SOCKET: socket, METRICS_TOKEN_FILE: tokenFile } = settings;
  await keepMetricsToken(tokenFile);
  const http = await openHttp({ at, socket, tokenFile, state: () => state, metrics: metrics.text });
  opened.defer(() => http.close());
  log.info({ port: http.port }, 'Worker begins');

  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  // Loaded only when somebody collects traces: the packages are large.
  const tracing = endpoint === undefined ? undefined : (await import('./tracing.ts')).startTracing(endpoint);
  opened.defer(() => tracing?.shutdown().catch(() => undefined));

  const database = await openDatabase({
    url,
    applicationName: 'ballast worker',
    poolMax: settings.DATABASE_POOL,
    lockTimeoutMillis: longestLockWaitMillis,
    onWarning: (message) => log.warn({ what: message }, 'Database'),
  });
  opened.defer(() => database.close());
  database.onAlarm(({ actorId, message }) => {
    metrics.alarms.inc();
    log.error({ actor: actorId }, message);
  });
  await readyDatabase(database, log, signal);
  const keyring = await retrying('the keys', log, signal, () => openKeyring(database, settings.KEYS_FILE));
  state.parts.database = 'ready';

  let away: Record<string, string> = {};
  const beating = startBeat({
    database,
    id: uuid(),
    version: programVersion,
    state: () => ({ ready: state.ready, port: http.port, ...state.parts, ...away }),
    log,
  });
  opened.defer(() => beating.stop());

  const { temporal, address, keys } = await openTemporal(settings, keyring, tracing?.clientInterceptors);
  opened.defer(() => temporal.close());
  const watching = watchTemporal({
    temporal,
    log,
    onChange: (since) => {
      away = since === undefined ? {} : { [temporalAwaySince]: since.toISOString() };
      beating.now();
    },
  });
  opened.defer(() => watching.stop());
  const cache = join(settings.BALLAST_HOME, 'cache');
  const bundling = workflowBundle({ cache, tracing: tracing !== undefined, log, signal });
  const delivery = createDelivery({ database, temporal, log });
  const common = { database, temporal, log, metrics };
  opened.defer(pokeReaders(database));
  const relay = startRelay({ database, delivery, log });
  opened.defer(() => relay.stop());
  const sweepers = startSweepers({ database, log, idempotencyHours: settings.IDEMPOTENCY_HOURS });
  opened.defer(() => sweepers.stop());

  const [bundle] = await Promise.all([
    bundling,
    retrying('Temporal', log, signal, () => prepareNamespace(temporal, signal)),
  ]);
  state.parts.temporal = 'ready';
  const reconciler = startReconciler(common);
  opened.defer(() => reconciler.stop());
  const archive = startArchive({ ...common, keyring });
  opened.defer(() => archive.stop());

  const hosting = {
    address,
    keys,
    bundle,
    activities: await createActivities({
      ...{ database, keyring, archive: archiveRuns({ database, keyring, temporal }) },
      ingressDomain: settings.INGRESS_DOMAIN,
      outbound,
      pagerUrl: settings.NOTIFICATION_PAGER_URL,
      publicUrl: settings.PUBLIC_URL,
      turns: attemptTurns(settings.ACTOR_CONCURRENCY),
    }),
    concurrency: settings.ACTOR_CONCURRENCY,
    log,
    tracing,
    onServing(serving: boolean) {
      state.ready = serving;
      state.parts.actors = serving ? 'ready' : 'waiting';
      metrics.serving.set(serving ? 1 : 0);
      if (serving) handed.onReady();
      beating.now();
    },
  };
  await hostActors(hosting, signal);
  log.info('Worker ends');
}
