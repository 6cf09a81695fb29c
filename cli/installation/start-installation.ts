import { givenPaths, readSettings, type Settings } from '../../domain/settings/settings.ts';
import { embeddedSettings, embedsProvider } from '../../runtime/embedded-settings.ts';
import { ensureCertificates } from '../../runtime/home/certificates.ts';
import type { Home } from '../../runtime/home/home.ts';
import { postgresPart } from '../../runtime/postgres/postgres.ts';
import { provisionPostgres } from '../../runtime/postgres/postgres-provision.ts';
import { apiSocket, workerSocket } from '../../runtime/sockets/api-socket.ts';
import type { Part } from '../../runtime/supervisor/part.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { runSteps, type Step } from '../../runtime/supervisor/steps.ts';
import type { Supervisor } from '../../runtime/supervisor/supervisor.ts';
import { temporalPart } from '../../runtime/temporal-server/temporal.ts';
import { findTemporal, type TemporalBinaries } from '../../runtime/temporal-server/temporal-binary.ts';
import { reachableDatabase } from '../database/reachable-database.ts';
import { sentenceOf } from '../engine/failure.ts';
import type { Progress } from '../engine/progress.ts';
import { Preparation } from '../preparation/preparation.ts';
import { postgresIsAway, whileAway } from '../preparation/while-away.ts';
import { agentPart, offerRelease } from './agent-part.ts';
import type { HeldPorts } from './hold-ports.ts';
import { nodePart } from './node-parts.ts';

interface Starting {
  home: Home;
  settings: Settings;
  ports: HeldPorts;
  supervisor: Supervisor;
  progress: Progress;
  signal: AbortSignal;
}

interface Started {
  /** As the parts have got them. */
  settings: Settings;
  preparation: Preparation;
}

type Ground = 'temporal-server' | 'certificates' | 'postgres' | 'roles' | 'temporal' | 'namespace' | 'tables';
type Own = 'identity' | 'worker' | 'api';
type StepName = Ground | Own | 'agent';

/** Brings everything up, each part when what it needs is there, and answers when people can use it. */
export async function startInstallation(starting: Starting): Promise<Started> {
  const { home, supervisor, progress, signal } = starting;
  const embedsTemporal = starting.settings.TEMPORAL_ADDRESS === undefined;
  const binaries = Promise.withResolvers<TemporalBinaries>();
  binaries.promise.catch(() => {});
  // Where PostgreSQL is, and by which password, is known only when it has been made.
  let known: Leading | undefined;
  const leading = (): Leading => (known ??= leadingTo(starting));
  const part = (name: Own): Promise<void> => supervisor.start(ourPart(name, leading(), starting));

  const steps: Record<StepName, Step<StepName>> = {
    // A build has the machine to itself, and who has no server, and cannot build one, hears it before anything is started.
    'temporal-server': {
      needs: [],
      run: async () => (embedsTemporal ? binaries.resolve(await temporalServer(starting)) : undefined),
    },
    certificates: {
      needs: ['temporal-server'],
      run: async () => {
        if (embedsTemporal) await ensureCertificates(home);
      },
    },
    postgres: { needs: ['temporal-server'], run: () => postgres(starting) },
    roles: { needs: ['postgres'], run: () => roles(starting) },
    temporal: {
      needs: ['roles', 'certificates'],
      run: async () => {
        if (embedsTemporal) await supervisor.start(patient(temporal(binaries.promise, starting), starting));
      },
    },
    namespace: { needs: ['temporal'], run: () => namespace(leading(), starting) },
    tables: { needs: ['roles'], run: () => tables(leading(), progress) },
    identity: {
      needs: ['tables'],
      run: () => (embedsProvider(starting.settings) ? part('identity') : undefined),
    },
    // These two wait for Temporal by themselves, so they begin beside ours. One that is not ours may be the wrong one.
    worker: { needs: ['tables', embedsTemporal ? 'certificates' : 'namespace'], run: () => part('worker') },
    api: { needs: ['tables', embedsTemporal ? 'certificates' : 'namespace'], run: () => part('api') },
    // Not waited for: what is put on the cluster meanwhile is done when its agent is there.
    agent: { needs: ['api', 'worker'], run: () => localCluster(leading(), starting) },
  };
  await runSteps(steps, signal);
  return leading();
}

interface Leading extends Started {
  /** Asked for whenever something is started: a part may have moved. */
  env: () => Record<string, string>;
}

function leadingTo({ home, settings, signal }: Starting): Leading {
  const env = () => embeddedSettings(home, settings);
  return { env, settings: readSettings({ ...process.env, ...env() }), preparation: new Preparation(env, signal) };
}

async function temporalServer({ home, settings, progress }: Starting): Promise<TemporalBinaries> {
  const step = 'the Temporal server';
  try {
    return await findTemporal({
      explicit: settings.TEMPORAL_SERVER,
      archive: settings.TEMPORAL_ARCHIVE,
      progress: (text) => progress.running(step, text),
      note: (line) => progress.line(`  ${line}`),
      buildLog: home.file('logs', 'temporal-build.log'),
    });
  } finally {
    progress.forget(step);
  }
}

function temporal(binaries: Promise<TemporalBinaries>, { home, supervisor, progress }: Starting): Part {
  return temporalPart(home, binaries, (from, to) => {
    progress.line(`  Port ${from} was taken by another program while Temporal did not run, so it moves to ${to}.`);
    // They know the old address only.
    for (const name of ['worker', 'api'] as const) supervisor.restart(name);
  });
}

/** The embedded Temporal always stands on the embedded PostgreSQL, whichever one holds our own tables. */
async function postgres({ home, settings, supervisor, progress }: Starting): Promise<void> {
  if (settings.DATABASE_URL !== undefined) await reachableDatabase(settings);
  if (!embedsPostgres(settings)) return;
  await supervisor.start(
    postgresPart(home, () => progress.line('  Another start is copying PostgreSQL; waiting for it.')),
  );
}

async function roles(starting: Starting): Promise<void> {
  if (!embedsPostgres(starting.settings)) return;
  await whileAway(postgresBack(starting), () => provisionPostgres(starting.home));
}

function embedsPostgres({ DATABASE_URL, TEMPORAL_ADDRESS }: Settings): boolean {
  return DATABASE_URL === undefined || TEMPORAL_ADDRESS === undefined;
}

/** The preparation in PostgreSQL is repeated when PostgreSQL went away meanwhile. */
function patient(part: Part, starting: Starting): Part {
  return { ...part, prepare: () => whileAway(postgresBack(starting), () => part.prepare()) };
}

function postgresBack({ progress, signal }: Starting) {
  const step = 'PostgreSQL again';
  const onAway = (text: string | undefined): void => (text ? progress.running(step, text) : progress.forget(step));
  return { name: 'PostgreSQL', signal, isAway: postgresIsAway, onAway };
}

async function tables({ preparation }: Leading, progress: Progress): Promise<void> {
  const step = 'Database';
  progress.running(step, 'the tables are being prepared');
  const { applied } = await preparation.ask('tables', (text) => progress.running(step, text));
  if (applied.length === 0) progress.forget(step);
  else progress.done(step, `Database prepared, ${applied.length} migration${applied.length === 1 ? '' : 's'} applied`);
}

async function namespace({ settings, preparation }: Leading, { home, progress }: Starting): Promise<void> {
  const step = 'Temporal namespace';
  progress.running(step, 'the Temporal namespace is being prepared');
  const { id } = await preparation.ask('namespace', (text) => progress.running(step, text));
  if (home.record.namespaceId !== undefined && home.record.namespaceId !== id) {
    throw new Refusal(
      `The namespace ${settings.TEMPORAL_NAMESPACE} is not the one that ${home.path} was used with (its id is ${id}, not ${home.record.namespaceId}); point TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE to the right one.`,
    );
  }
  home.keep({ namespaceId: id });
  progress.forget(step);
}

const titles = { identity: 'Identity provider', worker: 'Worker', api: 'API' } as const;

function ourPart(name: Own, { env: leading, settings }: Leading, { home, ports }: Starting): Part {
  const env = () => ({
    ...givenPaths(process.env),
    ...leading(),
    BALLAST_HOME: settings.BALLAST_HOME,
    KEYS_FILE: settings.KEYS_FILE,
    PORT: String(settings.PORT),
    API_SOCKET: apiSocket(home),
    WORKER_PORT: String(ports.worker[0]?.port ?? settings.WORKER_PORT),
    WORKER_SOCKET: workerSocket(home),
  });
  return nodePart({ name, title: titles[name], home, env, sockets: name === 'identity' ? [] : ports[name] });
}

function localCluster({ env, settings }: Leading, { home, supervisor, progress, signal }: Starting): void {
  const started = settings.LOCAL_CLUSTER
    ? supervisor.start(agentPart(home, settings, apiSocket(home), { env: env(), signal }))
    : offerRelease({ env: env(), signal });
  const what = settings.LOCAL_CLUSTER
    ? 'The cluster of this machine is not started'
    : "This version's agent is not offered to clusters";
  started.catch((error: unknown) => {
    if (!signal.aborted) progress.line(`! ${what}: ${sentenceOf(error).replace(/\.$/, '')}; start Ballast again.`);
  });
}
