import { chownSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Client } from 'pg';

/** A file system in memory, as Linux has it. In a container it may be tiny. */
const memory = '/dev/shm';
const leastBytes = 2 ** 30;

/** Where a run of the tests has its databases. */
export function databasesOf(run: string): string {
  return join(memory, basename(run));
}

/**
 * Puts databases that are made from now on into memory, where there is room: on a disk each is a thousand files to write and
 * to remove again, and takes up to nine times as long.
 */
export async function keepInMemory(admin: Client, run: string): Promise<void> {
  if (!hasRoom()) return;
  const { rows } = await admin.query<{ data_directory: string }>('show data_directory');
  const { uid, gid } = statSync(rows[0]?.data_directory ?? '');
  const directory = databasesOf(run);
  mkdirSync(directory, { mode: 0o700 });
  chownSync(directory, uid, gid);
  await admin.query(`create tablespace memory location '${directory}'`);
  // A database is made where its template lies.
  await admin.query('alter database template1 set tablespace memory');
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= leastBytes;
  } catch {
    return false;
  }
}
