import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from './migrate.ts';
import { migrationOrm } from './migration-orm.ts';

/** Names of migrations, as of files. */
export const migrationName = /^[a-z0-9-]+$/;

/**
 * Writes the migration from a database that has all migrations to the entities as they are now. Answers the name of the
 * file; nothing if the two say the same.
 */
export async function writeMigration(url: string, name: string, folder: string): Promise<string | undefined> {
  const orm = migrationOrm(url);
  try {
    const { fileName } = await orm.migrator.create(folder, false, false, name);
    return fileName === '' ? undefined : fileName;
  } finally {
    await orm.close(true);
  }
}

/** The same with a scratch database on this server, which is gone afterwards, whatever happens. */
export async function makeMigration(server: string, name: string, folder: string): Promise<string | undefined> {
  const scratch = `ballast_scratch_${randomBytes(8).toString('hex')}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  try {
    await admin.query(`create database ${scratch}`);
    const url = new URL(server);
    url.pathname = `/${scratch}`;
    await migrate(url.href, () => undefined);
    return await writeMigration(url.href, name, folder);
  } finally {
    await admin.query(`drop database if exists ${scratch} with (force)`).finally(() => admin.end());
  }
}
