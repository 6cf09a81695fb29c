import { Client } from 'pg';
import { writeFileAtomically } from '../../machine/files.ts';
import { type CertificateFiles, ensureCertificates } from '../home/certificates.ts';
import type { Home } from '../home/home.ts';
import { type TemporalPort, temporalPorts } from '../home/home-record.ts';
import { readPasswords } from '../home/passwords.ts';
import { databases, postgresSocketDirectory, postgresUrl } from '../postgres/postgres-address.ts';
import { freePorts } from '../sockets/ports.ts';
import type { Part } from '../supervisor/part.ts';
import { run } from '../supervisor/run.ts';
import { historyShards, temporalVersion } from '../supervisor/versions.ts';
import { temporalServes } from './grpc-health.ts';
import type { TemporalBinaries } from './temporal-binary.ts';
import { temporalConfig, temporalDynamicConfig, throughSocket } from './temporal-config.ts';

/**
 * The embedded Temporal on the embedded PostgreSQL: on 127.0.0.1 only, for those who show our certificate. `onMoved` is
 * called when it is started again at another port than before, because somebody has taken that one meanwhile.
 */
export function temporalPart(
  home: Home,
  binaries: Promise<TemporalBinaries>,
  onMoved: (from: number, to: number) => void,
): Part {
  const configPath = home.file('temporal', 'config.yaml');
  let made: { server: string; certificates: CertificateFiles; port: number } | undefined;
  return {
    name: 'temporal',
    title: `Temporal ${temporalVersion}`,
    prepare: async () => {
      const found = await binaries;
      const certificates = await ensureCertificates(home);
      const dynamicConfigPath = home.file('temporal', 'dynamic.yaml');
      const { temporal: password } = readPasswords(home);
      const before = home.record.ports.temporal;
      const ports = await ownPorts(home);
      const sockets = postgresSocketDirectory(home);
      writeFileAtomically(dynamicConfigPath, temporalDynamicConfig());
      writeFileAtomically(configPath, temporalConfig({ ports, sockets, password, certificates, dynamicConfigPath }));
      await prepareTemporalDatabases(home, found);
      if (before !== undefined && before !== ports.temporal) onMoved(before, ports.temporal);
      made = { server: found.server, certificates, port: ports.temporal };
    },
    command: () => ({
      file: made?.server ?? '',
      args: ['--config-file', configPath, '--allow-no-auth', 'start'],
      // Collecting twice as often leaves 54 MB instead of 72 (docs/performance.md).
      env: { PATH: process.env.PATH, TZ: 'UTC', GOGC: '50' },
      cwd: home.file('temporal', '.'),
    }),
    ready: async () => made !== undefined && temporalServes(made.port, made.certificates),
    stopSignal: 'SIGTERM',
    hurrySignal: 'SIGTERM',
  };
}

/** Those of before; others in the place of those that somebody has taken while Temporal did not run. */
async function ownPorts(home: Home): Promise<Record<TemporalPort, number>> {
  const { ports } = home.record;
  const others = Object.entries(ports).flatMap(([name, port]) => (isTemporals(name) ? [] : [port]));
  const own = await freePorts(temporalPorts, ports, others);
  home.keep({ ports: { ...ports, ...own } });
  return own;
}

function isTemporals(name: string): boolean {
  return temporalPorts.some((own) => own === name);
}

const schemas = [
  { database: databases.temporal, schema: 'postgresql/v12/temporal' },
  { database: databases.temporalVisibility, schema: 'postgresql/v12/visibility' },
] as const;

/** Upgrades Temporal's tables to the version of its server, and deletes the members of the last run. */
async function prepareTemporalDatabases(home: Home, { sqlTool }: TemporalBinaries): Promise<void> {
  if (home.record.temporalVersion !== temporalVersion) {
    // A kill between the two steps of a database is made good by the next start.
    const prepared = await Promise.allSettled(
      schemas.map(async ({ database, schema }) => {
        if (!(await hasSchema(home, database))) {
          await sql(home, sqlTool, database, ['setup-schema', '--version', '0.0']);
        }
        await sql(home, sqlTool, database, ['update-schema', '--schema-name', schema]);
      }),
    );
    // A failure is thrown after both have ended: neither may run on behind a start that has given up.
    for (const one of prepared) if (one.status === 'rejected') throw one.reason;
    home.keep({ temporalVersion, historyShards });
  }
  await connected(home, databases.temporal, async (client) => {
    // The members of the last run are dead; waiting for them can hang the start for 40 seconds.
    await client.query('delete from cluster_membership');
  });
}

function hasSchema(home: Home, database: string): Promise<boolean> {
  return connected(home, database, async (client) => {
    const { rows } = await client.query("select to_regclass('schema_version') is not null as there");
    if (rows[0]?.there !== true) return false;
    return ((await client.query('select from schema_version')).rowCount ?? 0) > 0;
  });
}

async function sql(home: Home, sqlTool: string, database: string, command: string[]): Promise<void> {
  const where = throughSocket.arguments(postgresSocketDirectory(home));
  await run(
    "Preparing Temporal's database",
    sqlTool,
    [...where, '--user', 'temporal', '--database', database, ...command],
    {
      // Not an argument: everybody on the machine can list those.
      env: { PATH: process.env.PATH, SQL_PASSWORD: readPasswords(home).temporal },
    },
  );
}

async function connected<T>(home: Home, database: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: postgresUrl(home, 'temporal', database),
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
