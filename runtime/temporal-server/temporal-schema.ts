import { Client } from 'pg';
import type { Home } from '../home/home.ts';
import { readPasswords } from '../home/passwords.ts';
import { databases, postgresSocketDirectory, postgresUrl } from '../postgres/postgres-address.ts';
import { run } from '../supervisor/run.ts';
import { historyShards, temporalVersion } from '../supervisor/versions.ts';
import type { TemporalBinaries } from './temporal-binary.ts';
import { throughSocket } from './temporal-config.ts';

const schemas = [
  { database: databases.temporal, schema: 'postgresql/v12/temporal' },
  { database: databases.temporalVisibility, schema: 'postgresql/v12/visibility' },
] as const;

/** Upgrades Temporal's tables to the version of its server, and deletes the members of the last run. */
export async function prepareTemporalDatabases(home: Home, { sqlTool }: TemporalBinaries): Promise<void> {
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
