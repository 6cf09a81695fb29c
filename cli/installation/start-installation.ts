import { askingBuiltInProvider } from '../../api/auth/built-in-provider.ts';
import { readSettings, type Settings } from '../../domain/settings/settings.ts';
import { embeddedSettings, embedsProvider } from '../../runtime/embedded-settings.ts';
import type { Home } from '../../runtime/home/home.ts';
import { postgresPart } from '../../runtime/postgres/postgres.ts';
import { provisionPostgres } from '../../runtime/postgres/postgres-provision.ts';
import { apiSocket } from '../../runtime/supervisor/api-socket.ts';
import type { Part } from '../../runtime/supervisor/part.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import type { Supervisor } from '../../runtime/supervisor/supervisor.ts';
import { temporalPart } from '../../runtime/temporal-server/temporal.ts';
import { findTemporal } from '../../runtime/temporal-server/temporal-binary.ts';
import { reachableDatabase } from '../database/reachable-database.ts';
import { sentenceOf } from '../engine/failure.ts';
import type { Progress } from '../engine/progress.ts';
import { agentPart, offerRelease } from './agent-part.ts';
import { answersOk, answersReady, localAddress, nodePart } from './node-parts.ts';

interface Starting {
  home: Home;
  settings: Settings;
  supervisor: Supervisor;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * Brings everything up: PostgreSQL, then Temporal and the tables, then the API and the worker. The last two wait for
 * Temporal by themselves, so they begin beside it; only a Temporal that is not ours is looked at first, because it may be
 * the wrong one. The local cluster comes last, by itself. Answers the settings as
 * the parts have got them.
 */
export async function startInstallation(starting: Starting): Promise<Settings> {
  const { home, supervisor, progress, signal } = starting;
  const temporal = embeddedTemporal(starting);
  await embeddedPostgres(starting);
  // Temporal may move before it is ready, so its address is read anew then.
  const asNow = () => readSettings({ ...process.env, ...embeddedSettings(home, starting.settings) });
  const settings = asNow();
  const namespaceReady = (temporal ? supervisor.start(temporal) : Promise.resolve()).then(() =>
    namespace(asNow(), starting),
  );
  await Promise.all([temporal ? undefined : namespaceReady, tables(settings, progress)]);
  signal.throwIfAborted();
  await Promise.all([namespaceReady, ...ourParts(starting, settings).map((part) => supervisor.start(part))]);
  startLocalCluster(settings, embeddedSettings(home, starting.settings), starting);
  return settings;
}

/** Not waited for: what is put on the cluster meanwhile is done when its agent is there, and people need not wait for it. */
function startLocalCluster(
  settings: Settings,
  env: Readonly<Record<string, string>>,
  { home, supervisor, progress, signal }: Starting,
): void {
  const started = settings.LOCAL_CLUSTER
    ? supervisor.start(agentPart(home, settings, env, apiSocket(home)))
    : offerRelease(env);
  started.catch((error: unknown) => {
    if (!signal.aborted) progress.line(`! ${sentenceOf(error)}`);
  });
}

/** Looked for, or built, from the first moment on: nothing takes longer. */
function embeddedTemporal({
  home,
  settings,
  supervisor,
  progress,
}: Starting): ReturnType<typeof temporalPart> | undefined {
  if (settings.TEMPORAL_ADDRESS !== undefined) return undefined;
  const step = 'the Temporal server';
  const binaries = findTemporal({
    explicit: settings.TEMPORAL_SERVER,
    archive: settings.TEMPORAL_ARCHIVE,
    progress: (text) => progress.running(step, text),
    note: (line) => progress.line(`  ${line}`),
    buildLog: home.file('logs', 'temporal-build.log'),
  });
  // It is waited for only when PostgreSQL is ready; a failure before that must not count as unhandled.
  binaries.then(
    () => progress.forget(step),
    () => progress.forget(step),
  );
  return temporalPart(home, binaries, (from, to) => {
    progress.line(`  Port ${from} was taken by another program while Temporal did not run, so it moves to ${to}.`);
    // They know the old address only.
    for (const name of ['worker', 'api'] as const) supervisor.restart(name);
  });
}

/** The embedded Temporal always stands on the embedded PostgreSQL, whichever one holds our own tables. */
async function embeddedPostgres({ home, settings, supervisor, progress }: Starting): Promise<void> {
  if (settings.DATABASE_URL !== undefined) await reachableDatabase(settings);
  if (settings.DATABASE_URL !== undefined && settings.TEMPORAL_ADDRESS !== undefined) return;
  await supervisor.start(
    postgresPart(home, () => progress.line('  Another start is copying PostgreSQL; waiting for it.')),
  );
  await provisionPostgres(home);
}

async function tables(settings: Settings, progress: Progress): Promise<void> {
  const step = 'Database';
  progress.running(step, 'the tables are being prepared');
  const { prepareDatabase } = await import('./prepare-database.ts');
  const { applied } = await prepareDatabase(settings, (text) => progress.running(step, text));
  if (applied.length === 0) progress.forget(step);
  else progress.done(step, `Database prepared, ${applied.length} migration${applied.length === 1 ? '' : 's'} applied`);
}

async function namespace(settings: Settings, { home, progress, signal }: Starting): Promise<void> {
  const step = 'Temporal namespace';
  progress.running(step, 'the Temporal namespace is being prepared');
  const { readyNamespace } = await import('./ready-namespace.ts');
  const id = await readyNamespace(settings, signal);
  if (home.record.namespaceId !== undefined && home.record.namespaceId !== id) {
    throw new Refusal(
      `The namespace ${settings.TEMPORAL_NAMESPACE} is not the one that ${home.path} was used with (its id is ${id}, not ${home.record.namespaceId}); point TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE to the right one.`,
    );
  }
  home.keep({ namespaceId: id });
  progress.forget(step);
}

function ourParts({ home, settings: given }: Starting, settings: Settings): Part[] {
  const workerPort = settings.WORKER_PORT || home.record.ports.worker;
  const worker = `http://127.0.0.1:${workerPort}`;
  // Asked for at each start: Temporal may have moved.
  const env = () => ({
    ...embeddedSettings(home, given),
    BALLAST_HOME: settings.BALLAST_HOME,
    KEYS_FILE: settings.KEYS_FILE,
    PORT: String(settings.PORT),
    API_SOCKET: apiSocket(home),
    WORKER_PORT: String(workerPort),
    WORKER_METRICS_URL: settings.WORKER_METRICS_URL ?? `${worker}/metrics`,
  });
  const ask = embedsProvider(given) ? askingBuiltInProvider(settings) : undefined;
  return [
    ...(ask === undefined
      ? []
      : [nodePart({ name: 'identity', title: 'Identity provider', home, env, ready: () => answersReady(ask) })]),
    nodePart({ name: 'worker', title: 'Worker', home, env, ready: () => answersOk(`${worker}/readyz`) }),
    nodePart({ name: 'api', title: 'API', home, env, ready: () => answersOk(`${localAddress(settings)}/readyz`) }),
  ];
}
