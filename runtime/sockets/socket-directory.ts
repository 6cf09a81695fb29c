import { chmodSync, lchownSync, lstatSync, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Home } from '../home/home.ts';
import { dataOfRoot, makeDataOfRoot } from '../postgres/postgres-data.ts';
import type { SystemUser } from '../postgres/postgres-user.ts';
import { errorCode, Refusal } from '../supervisor/refusal.ts';

/** The address of a unix socket ends at 107 bytes on Linux and at 103 on macOS. */
const longestAddress = 103;
/** Room for the longest name that a socket of ours has. */
const longestName = Buffer.byteLength('/.s.PGSQL.5432.lock');

/** `own`: of the parts that run as we do. `postgres`: of PostgreSQL, which as root runs as a user of its own. */
export type SocketDirectories = { own: string; postgres?: string | undefined };

/**
 * A directory for the sockets of our own parts, which nobody else can enter: `run/` of the home, or a short one elsewhere
 * when the home's path is too long. `home.json` records it, because clients of the home look for it there.
 */
export function makeSocketDirectory(home: Home): string {
  const own = directoryOf(home);
  home.keep({ sockets: { ...home.record.sockets, own } });
  return own;
}

/** The same for PostgreSQL, which is also its owner where it has a user of its own. */
export function makePostgresSocketDirectory(home: Home, user: SystemUser | undefined): string {
  const own = makeSocketDirectory(home);
  const postgres = user ? beside(home, 'postgres-run', user) : own;
  home.keep({ sockets: { own, postgres } });
  return postgres;
}

/** Where a client finds these sockets; undefined before the first start. Refuses a directory that others can enter. */
export function socketDirectory(home: Home, whose: keyof SocketDirectories): string | undefined {
  const directory = home.record.sockets?.[whose];
  // Somebody who can put a socket of his own there would be told our passwords.
  if (directory === undefined || isClosed(home, directory)) return directory;
  throw new Refusal(
    `The directory ${directory} of the sockets is missing, or others can enter it; start Ballast again, which creates a closed one.`,
  );
}

/** PostgreSQL, libpq and pgx split lists of directories at commas. */
function holdsSockets(directory: string): boolean {
  return Buffer.byteLength(directory) + longestName <= longestAddress && !directory.includes(',');
}

function directoryOf(home: Home): string {
  const first = join(home.path, 'run');
  if (holdsSockets(first)) {
    chmodSync(first, 0o700);
    return first;
  }
  if (process.getuid?.() === 0) return beside(home, 'run');
  const kept = home.record.sockets?.own;
  if (kept !== undefined && holdsSockets(kept) && keepsClosed(home, kept)) return kept;
  return makeShort(home);
}

/** Under a name that nobody can guess: nobody else can have made it before. */
function makeShort(home: Home): string {
  const place = [tmpdir(), '/tmp'].find((one) => holdsSockets(join(one, 'ballast-123456'))) ?? '/tmp';
  try {
    return mkdtempSync(join(place, 'ballast-'));
  } catch (error) {
    throw new Refusal(
      `The path ${home.path} is too long for sockets, or has a comma, and no directory for them can be created in ${place} (${errorCode(error)}); set BALLAST_HOME to a shorter path.`,
    );
  }
}

/** A cleaner of temporary files may have removed the directory. */
function keepsClosed(home: Home, directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return false;
  }
  return isClosed(home, directory);
}

/** Only root can make or move anything beside the data of root. */
function beside(home: Home, name: string, user: SystemUser = { uid: 0, gid: 0 }): string {
  makeDataOfRoot();
  const directory = join(dataOfRoot, `${home.record.installation}-${name}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  lchownSync(directory, user.uid, user.gid);
  return directory;
}

/** Closed to everybody but the owner of the home, or the user to whom root gave it. */
function isClosed(home: Home, directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || (found.mode & 0o077) !== 0) return false;
  const { uid } = statSync(home.path);
  return found.uid === uid || (uid === 0 && dirname(directory) === dataOfRoot);
}
