import { Client, escapeIdentifier } from 'pg';
import { readHome } from '../../runtime/home/home.ts';
import { databases, postgresUrl } from '../../runtime/postgres/postgres-address.ts';
import type { Installation } from './installation.ts';
import { signalProcess } from './process-family.ts';

const both = [databases.temporal, databases.temporalVisibility];
const copyOf = (database: string): string => `${database}_copy`;

/** Copies Temporal's databases as they are at this moment. Temporal is killed for it: a template has no connections. */
export function copyTemporal(installation: Installation): Promise<void> {
  return whileTemporalIsDown(installation, async (client) => {
    for (const database of both) {
      await client.query(
        `create database ${escapeIdentifier(copyOf(database))} template ${escapeIdentifier(database)} owner temporal`,
      );
    }
  });
}

/** Kills Temporal and puts the copies in the place of what it has written since; it is started again on them. */
export function putBackTemporal(installation: Installation): Promise<void> {
  return whileTemporalIsDown(installation, async (client) => {
    for (const database of both) {
      await client.query(`drop database ${escapeIdentifier(database)}`);
      await client.query(
        `alter database ${escapeIdentifier(copyOf(database))} rename to ${escapeIdentifier(database)}`,
      );
      await client.query(`revoke all on database ${escapeIdentifier(database)} from public`);
    }
  });
}

/** The supervisor is stopped meanwhile, so that it starts Temporal again afterwards, as after any other kill. */
async function whileTemporalIsDown(installation: Installation, work: (client: Client) => Promise<void>): Promise<void> {
  const { parts } = installation;
  const supervisor = parts.supervisor() ?? 0;
  const before = parts.pid('temporal');
  const client = new Client({ connectionString: postgresUrl(readHome(installation.home), 'postgres') });
  await client.connect();
  signalProcess(supervisor, 'SIGSTOP');
  try {
    parts.kill('temporal');
    await installation.until('nobody is connected to its databases', async () => {
      const { rows } = await client.query(
        'select count(pg_terminate_backend(pid))::int as left from pg_stat_activity where datname = any($1)',
        [both],
      );
      return rows[0].left === 0;
    });
    await work(client);
  } finally {
    signalProcess(supervisor, 'SIGCONT');
    await client.end();
  }
  await installation.until('another Temporal', async () => (parts.find('temporal') ?? before) !== before);
}
