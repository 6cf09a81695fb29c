import { certificateFiles, serverName } from './home/certificates.ts';
import { claimHome } from './home/claim-home.ts';
import { postgresPart } from './postgres/postgres.ts';
import { postgresUrl } from './postgres/postgres-address.ts';
import { provisionPostgres } from './postgres/postgres-provision.ts';
import type { PartEvent } from './supervisor/kept-part.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import { watchParent } from './supervisor/watch-parent.ts';
import { temporalPart } from './temporal-server/temporal.ts';
import { findTemporal } from './temporal-server/temporal-binary.ts';

export interface Ground {
  postgres: { adminUrl: string; url: string };
  temporal: { address: string; tls: { caFile: string; certFile: string; keyFile: string; serverName: string } };
  stop(): Promise<void>;
}

interface StartGround {
  home: string;
  /** TEMPORAL_SERVER, if set. */
  temporalServer?: string | undefined;
  log: (line: string) => void;
}

/**
 * PostgreSQL and Temporal alone, for tests: the same parts that `ballast up` starts. They end with the process that asked
 * for them, even when it is killed: nobody would start it again and clear up.
 */
export async function startGround({ home: path, temporalServer, log }: StartGround): Promise<Ground> {
  const { home, supervisor, started, stop } = await claimGround(path, log);
  const binaries = findTemporal({
    explicit: temporalServer,
    progress: log,
    buildLog: home.file('logs', 'temporal-build.log'),
  });
  // Awaited only after PostgreSQL; an earlier failure must not count as unhandled.
  binaries.catch(() => {});
  await started(async () => {
    await supervisor.start(postgresPart(home, () => log('waiting for another start to copy PostgreSQL')));
    await provisionPostgres(home);
    await supervisor.start(
      temporalPart(home, binaries, (from, to) => log(`Temporal moves from port ${from}, which is taken, to ${to}`)),
    );
  });
  const files = certificateFiles(home);
  return {
    postgres: { adminUrl: postgresUrl(home, 'postgres'), url: postgresUrl(home, 'ballast') },
    temporal: {
      address: `127.0.0.1:${home.record.ports.temporal}`,
      tls: { caFile: files.ca, certFile: files.clientCert, keyFile: files.clientKey, serverName },
    },
    stop,
  };
}

/** PostgreSQL alone, with no database of ours: for what a developer makes with one. */
export async function startPostgres({ home: path, log }: Omit<StartGround, 'temporalServer'>) {
  const { home, supervisor, started, stop } = await claimGround(path, log);
  await started(() => supervisor.start(postgresPart(home, () => log('waiting for another start to copy PostgreSQL'))));
  return { adminUrl: postgresUrl(home, 'postgres'), stop };
}

/** A supervisor in a home of its own; a start that fails stops what it has started. */
async function claimGround(path: string, log: (line: string) => void) {
  const { home, lock } = await claimHome(path, (part) => log(`ending a ${part} that was left behind`));
  const supervisor = new Supervisor(home, path, (event) => log(describe(event)));
  const watcher = watchParent(home);
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    watcher.end();
    lock.release();
  };
  const started = async (starting: () => Promise<unknown>): Promise<void> => {
    try {
      await starting();
    } catch (error) {
      await stop();
      throw error;
    }
  };
  return { home, supervisor, started, stop };
}

function describe(event: PartEvent): string {
  if (event.kind === 'ready') return `${event.part.title} ready (${(event.milliseconds / 1000).toFixed(1)} s)`;
  if (event.kind === 'died') return `${event.part.title}: ${event.reason}; again in ${event.delay} ms`;
  return event.kind === 'failing' ? event.sentence : `${event.part.title} starting`;
}
