import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import type { Home } from '../home/home.ts';
import { readPasswords } from '../home/passwords.ts';
import { databases, postgresUrl } from './postgres-address.ts';

const wanted = [
  { database: databases.ballast, owner: 'ballast' },
  { database: databases.temporal, owner: 'temporal' },
  { database: databases.temporalVisibility, owner: 'temporal' },
] as const;

/** The roles and databases that we need, made when missing. Only here is the superuser used. */
export async function provisionPostgres(home: Home): Promise<void> {
  const passwords = readPasswords(home);
  const client = new Client({ connectionString: postgresUrl(home, 'postgres'), connectionTimeoutMillis: 5000 });
  // Without a listener the end of the server would end us too.
  client.on('error', () => {});
  await client.connect();
  try {
    // A statement that fails is logged with its text, and these carry passwords.
    await client.query('set log_min_error_statement = panic');
    for (const role of ['ballast', 'temporal'] as const) {
      if (await exists(client, 'select from pg_roles where rolname = $1', role)) continue;
      await client.query(
        `create role ${escapeIdentifier(role)} login nosuperuser nocreatedb nocreaterole noreplication password ${escapeLiteral(passwords[role])}`,
      );
    }
    for (const { database, owner } of wanted) {
      if (!(await exists(client, 'select from pg_database where datname = $1', database))) {
        await client.query(`create database ${escapeIdentifier(database)} owner ${escapeIdentifier(owner)}`);
      }
      // Neither role has any business in the other's databases.
      await client.query(`revoke all on database ${escapeIdentifier(database)} from public`);
    }
  } finally {
    await client.end();
  }
}

async function exists(client: Client, query: string, name: string): Promise<boolean> {
  return ((await client.query(query, [name])).rowCount ?? 0) > 0;
}
