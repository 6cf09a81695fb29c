import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Client, Pool } from 'pg';
import { inject } from 'vitest';
import { migrate } from '../../db/migrations/migrate.ts';
import { openDatabase } from '../../db/postgres/database.ts';
import type { Ground } from './ground.ts';
import { type WholeDatabase, wholeDatabase } from './whole-database.ts';

export interface FreshDatabase {
  url: string;
  database: WholeDatabase;
  /** Closes it and removes it. */
  drop(): Promise<void>;
}

const migrations = new URL('../../db/migrations/', import.meta.url);
/** Looked for once a process: no test changes the migrations. */
let template: Promise<string> | undefined;

/** A migrated, empty database of its own: a copy of a template that is migrated once for each state of the migrations. */
export async function freshDatabase(options: { poolMax?: number } = {}): Promise<FreshDatabase> {
  const name = `ballast_test_${randomBytes(8).toString('hex')}`;
  template ??= templateDatabase();
  await askAdmin(`create database ${name} template ${await template} strategy file_copy`);
  const url = urlOf(name);
  const database = wholeDatabase(
    await openDatabase({ url, applicationName: 'ballast test', poolMax: options.poolMax ?? 10 }),
  );
  return {
    url,
    database,
    drop: async () => {
      await database.close();
      await askAdmin(`drop database if exists ${name} with (force)`);
    },
  };
}

/** An empty database, not migrated. */
export async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `ballast_test_${randomBytes(8).toString('hex')}`;
  await askAdmin(`create database ${name}`);
  return {
    url: urlOf(name),
    drop: async () => {
      await askAdmin(`drop database if exists ${name} with (force)`);
    },
  };
}

async function templateDatabase(): Promise<string> {
  const name = `ballast_template_${await migrationsHash()}`;
  const client = new Client({ connectionString: groundHere() });
  await client.connect();
  try {
    // Held until the connection ends.
    await client.query(`select pg_advisory_lock(hashtextextended('ballast test template', 0))`);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      // Under another name until it is whole: a run that is killed half way leaves no broken template.
      const unfinished = `${name}_unfinished`;
      await client.query(`drop database if exists ${unfinished} with (force)`);
      await client.query(`create database ${unfinished}`);
      await migrate(urlOf(unfinished), () => undefined);
      await client.query(`alter database ${unfinished} rename to ${name}`);
    }
    return name;
  } finally {
    await client.end();
  }
}

async function migrationsHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(migrations)).sort())
    hash.update(file).update(await readFile(new URL(file, migrations)));
  return hash.digest('hex').slice(0, 16);
}

function groundHere(): string {
  const ground = inject('ground') as Ground | undefined;
  if (ground !== undefined) return ground.postgres;
  throw new Error(
    'This file stands on PostgreSQL, and the project "machines" has none: name it in `byApi` of vitest.config.ts.',
  );
}

function urlOf(database: string): string {
  const url = new URL(groundHere());
  url.pathname = `/${database}`;
  return url.href;
}

let admin: Pool | undefined;

/** By one connection, for as long as it is used: to be let in costs both sides more than what is asked. */
async function askAdmin(statement: string): Promise<void> {
  if (admin === undefined) {
    admin = new Pool({ connectionString: groundHere(), max: 1, allowExitOnIdle: true });
    // One that breaks while nobody uses it is replaced.
    admin.on('error', () => undefined);
  }
  await admin.query(statement);
}
