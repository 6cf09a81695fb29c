import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Refusal } from '../supervisor/refusal.ts';

export interface SystemUser {
  uid: number;
  gid: number;
}

const name = 'ballast-postgres';

/** PostgreSQL refuses to run as root, so there it has a user of its own, made when missing. Undefined for everybody else. */
export function postgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== 'linux')
    throw new Refusal('Ballast cannot be started as root here; start it as an ordinary user.');
  const found = lookUp() ?? create();
  if (found) return found;
  throw new Refusal(
    `PostgreSQL may not run as root and the user ${name} could not be created; create it (\`useradd --system ${name}\`), start as an ordinary user, or set DATABASE_URL.`,
  );
}

function lookUp(): SystemUser | undefined {
  const [uid, gid] = [id('-u'), id('-g')];
  return uid && gid ? { uid, gid } : undefined;
}

function create(): SystemUser | undefined {
  const shell = ['/usr/sbin/nologin', '/sbin/nologin', '/bin/false'].find(existsSync) ?? '/bin/false';
  const home = ['--home-dir', '/nonexistent', '--no-create-home'];
  // Debian, Fedora and most others have the first; Alpine and other BusyBox systems the second.
  if (!quietly('useradd', ['--system', '--user-group', ...home, '--shell', shell, name])) {
    quietly('addgroup', ['-S', name]);
    quietly('adduser', ['-S', '-D', '-H', '-h', '/nonexistent', '-s', shell, '-G', name, name]);
  }
  return lookUp();
}

function id(flag: string): number | undefined {
  try {
    return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
}

function quietly(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
