import { CompiledQuery } from 'kysely';
import { bucketFault, bucketOf } from '../../api/registry/storage/open-store.ts';
import { askingBuiltInProvider, providerIsReady } from '../../api/sign-in/built-in-provider.ts';
import { findDownPart, livingProcesses } from '../../db/engine/processes/processes.ts';
import { schemaState } from '../../db/migrations/schema-state.ts';
import { openDatabase } from '../../db/postgres/database.ts';
import { readSettings, type Settings } from '../../domain/settings/settings.ts';
import { embeddedSettings } from '../../runtime/embedded-settings.ts';
import { readHome } from '../../runtime/home/home.ts';
import { messageOf } from '../../runtime/supervisor/refusal.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { temporalAddress } from '../../temporal/connection/settings.ts';
import { databasePlace, whyUnreachable } from '../database/reachable-database.ts';
import { localAddress } from '../installation/node-parts.ts';
import { noKeys } from '../preparation/ready-namespace.ts';
import { answersOk, broken, type Check, idle, ok } from './check.ts';
import { agentChecks } from './check-agent.ts';

interface Parts {
  settings: Settings;
  /** Whether the supervisor of this home runs: only then must the embedded parts be there. */
  running: boolean;
}

const startUp = 'Run `./ballast up`; if it runs already, look into the logs of the home.';

/** Checks that only the parts themselves can answer. */
export function partChecks({ settings: given, running }: Parts): Check[] {
  const settings = withEmbedded(given);
  const database = given.DATABASE_URL !== undefined;
  const temporal = given.TEMPORAL_ADDRESS !== undefined;
  return [
    { name: 'PostgreSQL', run: () => unlessIdle(running || database, () => postgres(settings)) },
    { name: 'Schema', run: () => unlessIdle(running || database, () => schema(settings)) },
    { name: 'Temporal', run: () => unlessIdle(running || temporal, () => namespace(settings)) },
    { name: 'Workers', run: () => unlessIdle(running || database, () => beats(settings, running)) },
    { name: 'Sign-in', run: () => unlessIdle(running || given.OIDC_ISSUER !== undefined, () => provider(settings)) },
    { name: 'Registry', run: () => images(given) },
    { name: 'API', run: () => unlessIdle(running, () => readiness(settings)) },
    { name: 'Clock', run: () => unlessIdle(running || database, () => clock(settings)) },
    ...agentChecks(given, running),
  ];
}

/** LISTEN and PORT stay as they were given: where the installation runs, whatever the shell says now. */
function withEmbedded(settings: Settings): Settings {
  const { LISTEN, PORT } = settings;
  try {
    const embedded = embeddedSettings(readHome(settings.BALLAST_HOME), settings);
    return { ...readSettings({ ...process.env, ...embedded }), LISTEN, PORT };
  } catch {
    return settings;
  }
}

async function unlessIdle(expected: boolean, check: Check['run']): ReturnType<Check['run']> {
  return expected ? await check() : idle('not running');
}

async function postgres(settings: Settings) {
  if (settings.DATABASE_URL === undefined) return broken('It was never started.', startUp);
  const problem = await whyUnreachable(settings.DATABASE_URL);
  const where = databasePlace(settings.DATABASE_URL);
  return problem === undefined ? ok(`answers at ${where}`) : broken(`${where}: ${problem}.`, startUp);
}

async function schema(settings: Settings) {
  return await withDatabase(settings, async (database) => {
    const state = await schemaState(database);
    if (state === 'current') return ok('is that of this version');
    if (state === 'behind') return broken('It is older than this version.', 'Run `./ballast migrate`.');
    return broken('It is newer than this version.', 'Start the newer version of Ballast again.');
  });
}

async function beats(settings: Settings, running: boolean) {
  return await withDatabase(settings, async (database) => {
    const workers = (await livingProcesses(database.kysely)).filter(({ kind }) => kind === 'worker');
    if (workers.length === 0 && !running) return idle('none has been heard in the last 20 seconds');
    // As `/readyz` has it, which is told sooner of one that hangs than that it is gone.
    const down = await findDownPart(database.kysely);
    if (workers.length > 0 && down?.part !== 'worker') return ok(`${workers.length} at work`);
    return broken(
      down?.part === 'worker' ? down.sentence : 'None has been heard in the last 20 seconds.',
      'Look into logs/worker.log of the home, or start one.',
    );
  });
}

async function provider(settings: Settings) {
  const { OIDC_ISSUER: issuer, BUILT_IN_PROVIDER_URL, BUILT_IN_PROVIDER_SOCKET } = settings;
  if (issuer !== undefined) {
    if (await answersOk(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)) return ok(`by ${issuer}`);
    return broken(
      `${issuer} does not answer as an OpenID provider.`,
      'Correct OIDC_ISSUER, or look into that provider.',
    );
  }
  const ask = askingBuiltInProvider(settings);
  if (ask === undefined) return broken('The built-in provider was never started.', startUp);
  if (await providerIsReady(ask, AbortSignal.timeout(2000)).catch(() => false)) return ok('by the built-in provider');
  return broken(
    `The built-in provider at ${BUILT_IN_PROVIDER_SOCKET ?? BUILT_IN_PROVIDER_URL} is not ready; nobody can sign in, and sessions keep working.`,
    'Look into logs/identity.log of the home.',
  );
}

async function images(settings: Settings) {
  const target = bucketOf(settings);
  if (target === undefined) return ok(`in ${settings.REGISTRY_DIRECTORY}`);
  const fault = await bucketFault(target);
  if (fault === undefined) return ok(`in the bucket ${target.bucket} at ${new URL(target.endpoint).host}`);
  return broken(
    `${fault} Images are neither pushed nor pulled.`,
    'Correct the REGISTRY_S3_ settings, or look into that server.',
  );
}

async function clock(settings: Settings) {
  return await withDatabase(settings, async (database) => {
    const before = Date.now();
    const { rows } = await database.kysely.executeQuery<{ now: Date }>(
      CompiledQuery.raw('select clock_timestamp() as now'),
    );
    const now = rows[0]?.now ?? new Date();
    const seconds = Math.abs(now.getTime() - (before + Date.now()) / 2) / 1000;
    if (seconds < 5) return ok('agrees with that of PostgreSQL');
    return broken(
      `It is ${seconds.toFixed(0)} s from that of PostgreSQL.`,
      'Synchronise the clocks of the machines (NTP).',
    );
  });
}

async function withDatabase(
  settings: Settings,
  check: (database: Awaited<ReturnType<typeof openDatabase>>) => ReturnType<Check['run']>,
): ReturnType<Check['run']> {
  const url = settings.DATABASE_URL;
  if (url === undefined || (await whyUnreachable(url)) !== undefined) return broken('PostgreSQL is away.', startUp);
  const database = await openDatabase({ url, applicationName: 'ballast doctor', poolMax: 1 });
  try {
    return await check(database);
  } catch (error) {
    return broken(`It cannot be asked: ${messageOf(error)}.`, 'Run `./ballast migrate`.');
  } finally {
    await database.close();
  }
}

async function namespace(settings: Settings) {
  if (settings.TEMPORAL_ADDRESS === undefined) return broken('It was never started.', startUp);
  const where = `${settings.TEMPORAL_ADDRESS}, namespace ${settings.TEMPORAL_NAMESPACE}`;
  const address = await temporalAddress(settings).catch((error: unknown) => messageOf(error));
  if (typeof address === 'string') return broken(address, 'Correct the setting.');
  const temporal = connectTemporal({ ...address, keys: noKeys });
  try {
    if (!(await temporal.reachable())) return broken(`${settings.TEMPORAL_ADDRESS} does not answer.`, startUp);
    await temporal.connection.workflowService.describeNamespace({ namespace: settings.TEMPORAL_NAMESPACE });
    return ok(`answers at ${where}`);
  } catch (error) {
    return broken(
      `${where}: ${messageOf(error)}.`,
      'Run `./ballast up`, which makes the namespace, or make it yourself.',
    );
  } finally {
    await temporal.close();
  }
}

async function readiness(settings: Settings) {
  const url = `${localAddress(settings)}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    if (response.ok) return ok(`is ready at ${localAddress(settings)}`);
    return broken(
      `It answers ${response.status}: ${(await response.text()).slice(0, 500)}`,
      'Fix the part that it names.',
    );
  } catch (error) {
    return broken(`${url} does not answer (${messageOf(error)}).`, 'Look into logs/api.log of the home.');
  }
}
