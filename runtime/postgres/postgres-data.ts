import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { identify, type ProcessIdentity, processesWorkingIn } from '../../machine/process-identity.ts';
import type { Home } from '../home/home.ts';
import { Refusal } from '../supervisor/refusal.ts';
import { run } from '../supervisor/run.ts';
import { postgresMajor } from '../supervisor/versions.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { SystemUser } from './postgres-user.ts';

/** As root the data lie where PostgreSQL's own user can reach them, and the home holds a link. */
export const dataOfRoot = '/var/lib/ballast';

export function dataDirectory(home: Home, user: SystemUser | undefined): string {
  return user ? join(dataOfRoot, home.record.installation, 'postgres') : home.postgres;
}

/** Where a restored data directory is put, with what has to be around it. Refuses a place that has one. */
export function placeForData(home: Home, user: SystemUser | undefined): string {
  const data = dataDirectory(home, user);
  if (user) linkFromHome(home, data, user);
  if (!existsSync(data)) return data;
  throw new Refusal(
    `There are data of PostgreSQL in ${data}, which a restore does not overwrite; move them away, and restore again.`,
  );
}

interface Making {
  home: Home;
  user: SystemUser | undefined;
  binaries: PostgresBinaries;
  superuserPassword: string;
}

/** Makes the data directory when there is none yet; refuses one of another major version. */
export async function ensureData({ home, user, binaries, superuserPassword }: Making): Promise<string> {
  const data = dataDirectory(home, user);
  if (user) linkFromHome(home, data, user);
  if (existsSync(join(data, 'PG_VERSION'))) {
    refuseOtherMajor(data);
    home.keep({ postgresMajor });
    return data;
  }
  if (home.record.postgresMajor !== undefined) {
    throw new Refusal(
      `The data of PostgreSQL are missing from ${data} although ${home.path} was used before; restore them from a backup, or set BALLAST_HOME to a new directory.`,
    );
  }
  // Made under another name: a first start that was killed half way leaves nothing that looks finished.
  const draft = `${data}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  const passwordFile = `${data}.password`;
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, superuserPassword, { mode: 0o600, flag: 'wx' });
  if (user) for (const path of [draft, passwordFile]) chownSync(path, user.uid, user.gid);
  try {
    await run('Creating the database directory', binaries.initdb, initdbArguments(draft, passwordFile), {
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      cwd: draft,
      user,
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, data);
  home.keep({ postgresMajor });
  return data;
}

function initdbArguments(data: string, passwordFile: string): string[] {
  return [
    ...['--pgdata', data, '--username', 'postgres', '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8'],
    // PostgreSQL's own collation: an index never breaks because the system's C library was updated.
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    '--data-checksums',
  ];
}

/** The old server on these data, and its children, as far as they still live. Its stale pid file is removed. */
export function leftovers(data: string): ProcessIdentity[] {
  const pidFile = join(data, 'postmaster.pid');
  const working = processesWorkingIn(data);
  const recorded = existsSync(pidFile) ? identify(Number(readFileSync(pidFile, 'utf8').split('\n')[0])) : undefined;
  if (working.length > 0) return working;
  // A pid that belongs to somebody else by now would make PostgreSQL refuse to start. Only Linux lets us see that.
  if (recorded === undefined || process.platform === 'linux') rmSync(pidFile, { force: true });
  return [];
}

export function makeDataOfRoot(): void {
  mkdirSync(dataOfRoot, { recursive: true, mode: 0o711 });
  chmodSync(dataOfRoot, 0o711);
}

function linkFromHome(home: Home, data: string, user: SystemUser): void {
  const own = join(dataOfRoot, home.record.installation);
  makeDataOfRoot();
  mkdirSync(own, { recursive: true, mode: 0o700 });
  chownSync(own, user.uid, user.gid);
  const there = lstatSync(home.postgres, { throwIfNoEntry: false });
  if (there === undefined) symlinkSync(data, home.postgres);
  else if (!there.isSymbolicLink()) {
    throw new Refusal(`${home.postgres} was created by an ordinary user; start Ballast as that user, not as root.`);
  } else if (readlinkSync(home.postgres) !== data) {
    throw new Refusal(`${home.postgres} points to ${readlinkSync(home.postgres)}, not to ${data}; correct the link.`);
  }
}

function refuseOtherMajor(data: string): void {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (found === String(postgresMajor)) return;
  throw new Refusal(
    `${data} holds data of PostgreSQL ${found} and this Ballast brings ${postgresMajor}; migrate them as docs/operating.md says ("Upgrading").`,
  );
}
