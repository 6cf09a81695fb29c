import { readdirSync, renameSync, rmSync } from 'node:fs';
import { chmod, chown, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from 'pg';
import type { Pack } from 'tar-stream';
import type { Home } from '../runtime/home/home.ts';
import { postgresUrl } from '../runtime/postgres/postgres-address.ts';
import { dataDirectory, placeForData } from '../runtime/postgres/postgres-data.ts';
import { postgresUser } from '../runtime/postgres/postgres-user.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { addBytes, addDirectory, addFile, archived, unpackArchive } from './archive.ts';

/**
 * The files of the embedded PostgreSQL while it runs, as its documentation says of backups without its own program: between
 * `pg_backup_start` and `pg_backup_stop`, with the log that makes one moment of them. It is the moment at which the copy ends, the
 * same for our rows, Temporal's and its visibility.
 */
export function postgresFiles(home: Home): Readable {
  return archived(async (archive) => {
    const client = new Client({ connectionString: postgresUrl(home, 'postgres'), connectionTimeoutMillis: 5000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await copyAll(archive, client, dataDirectory(home, postgresUser()));
    } catch (error) {
      throw isGone(error)
        ? new Refusal('PostgreSQL went away while its files were copied; take the backup again once it runs.')
        : error;
    } finally {
      await client.end().catch(() => {});
    }
  });
}

/** Directories whose content belongs to the server that runs. */
const emptied = new Set(
  ['pg_dynshmem', 'pg_notify', 'pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'].concat([
    'pg_wal',
    'pg_wal/archive_status',
    'pg_wal/summaries',
  ]),
);
const leftOut = /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init(\.\d+)?|pgsql_tmp[^/]*|backup_label|tablespace_map)$/;
/** Last: it must not be older than what it speaks of. */
const control = 'global/pg_control';

async function copyAll(archive: Pack, client: Client, data: string): Promise<void> {
  // Temporary: it goes with this connection. Until then the server keeps the log from here on.
  await client.query("select pg_create_physical_replication_slot('ballast_backup_' || pg_backend_pid(), true, true)");
  const [start] = (await client.query("select pg_walfile_name(pg_backup_start('ballast', fast => true)) as file")).rows;
  if (readdirSync(join(data, 'pg_tblspc')).length > 0)
    throw new Refusal('PostgreSQL has tablespaces of its own making elsewhere, which a backup does not follow.');
  await copyDirectory(archive, data, '');
  await addFile(archive, control, join(data, control));
  const [stop] = (
    await client.query('select labelfile, pg_walfile_name(lsn) as file from pg_backup_stop(wait_for_archive => false)')
  ).rows;
  await addBytes(archive, 'backup_label', stop.labelfile);
  const log = readdirSync(join(data, 'pg_wal')).filter(
    (name) => (/^[0-9A-F]{24}$/.test(name) && name >= start.file && name <= stop.file) || name.endsWith('.history'),
  );
  for (const name of log.sort()) await addFile(archive, `pg_wal/${name}`, join(data, 'pg_wal', name));
}

async function copyDirectory(archive: Pack, data: string, within: string): Promise<void> {
  for (const entry of readdirSync(join(data, within), { withFileTypes: true })) {
    const name = within === '' ? entry.name : `${within}/${entry.name}`;
    if (leftOut.test(name) || name === control) continue;
    if (entry.isDirectory()) {
      await addDirectory(archive, name);
      if (!emptied.has(name)) await copyDirectory(archive, data, name);
      else for (const child of emptied) if (dirname(child) === name) await addDirectory(archive, child);
    } else if (entry.isFile()) await addFile(archive, name, join(data, name));
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && /terminat|ECONN|EPIPE|not queryable|ended/i.test(error.message);
}

/** Puts the files where the embedded PostgreSQL of this home looks for them. Its next start reads the log to the end. */
export async function restorePostgresFiles(
  home: Home,
  source: Readable,
  onPlace: (data: string) => void,
): Promise<void> {
  const user = postgresUser();
  const data = placeForData(home, user);
  onPlace(data);
  const draft = `${data}.new`;
  rmSync(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await chmod(draft, 0o700);
  if (user) await chown(draft, user.uid, user.gid);
  await unpackArchive(source, draft, { owner: user });
  renameSync(draft, data);
  const directory = await open(dirname(data), 'r');
  await directory.sync().finally(() => directory.close());
}
