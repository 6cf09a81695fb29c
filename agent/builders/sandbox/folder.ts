import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { ProcessIdentity } from '../../../machine/process-identity.ts';
import { contentOf } from './content.ts';

const run = promisify(execFile);
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** Where the sandboxes of an agent have their folders, while they run. */
export function foldersIn(home: string): string {
  return join(home, 'sandboxes');
}

/** The name of its control groups. */
export function groupOf(folder: string): string {
  return `build-${basename(folder)}`;
}

export function allFolders(home: string): string[] {
  const folders = foldersIn(home);
  return existsSync(folders) ? readdirSync(folders).map((name) => join(folders, name)) : [];
}

/**
 * The folder of one run: its root, its own /tmp and home, and two pipes for what it says. Pipes with a name and an owner,
 * since programs open /dev/stdout anew, which neither a socket nor the pipe of another user allows.
 */
export async function makeFolder(home: string, user: number | undefined, mapped: boolean): Promise<string> {
  const folder = join(foldersIn(home), randomBytes(6).toString('hex'));
  for (const name of ['root', 'tmp', 'home', 'sys']) mkdirSync(join(folder, name), { recursive: true, mode: 0o755 });
  if (mapped) writeFileSync(join(folder, 'mapped'), '');
  const pipes = [join(folder, 'stdout'), join(folder, 'stderr')];
  await run('mkfifo', ['-m', '600', '--', ...pipes], { env });
  if (user !== undefined) for (const path of [...pipes, ...ownFolders(folder)]) chownSync(path, user, user);
  return folder;
}

export function ownFolders(folder: string): [tmp: string, home: string] {
  return [join(folder, 'tmp'), join(folder, 'home')];
}

/** Gives trees to a user, themselves and not what their links lead to. Nobody else writes to them by then. */
export async function giveTo(user: number, ...directories: readonly string[]): Promise<void> {
  const isElse = ['(', '!', '-uid', String(user), '-o', '!', '-gid', String(user), ')'];
  const give = ['-exec', 'chown', '-h', '--', `${user}:${user}`, '{}', '+'];
  await run('find', [...directories, '-xdev', ...isElse, ...give], { env });
}

/** A build may have left folders that even their owner cannot enter. */
export async function removeFolder(folder: string): Promise<void> {
  const remove = () => run('rm', ['-rf', '--', folder], { env });
  try {
    await remove();
  } catch {
    await run('chmod', ['-R', 'u+rwX', '--', folder], { env }).catch(() => undefined);
    await remove();
  }
}

/** The first process of the sandbox, as it said itself; undefined before. */
export function initOf(folder: string): ProcessIdentity | undefined {
  const [, pid, started] = /^(\d+) (\S+)\n$/.exec(contentOf(join(folder, 'init'))) ?? [];
  return started === undefined ? undefined : { pid: Number(pid), started };
}

/** The status of the command, if it ended by itself. */
export function statusOf(folder: string): number | undefined {
  const text = contentOf(join(folder, 'ended')).trim();
  return text === '' ? undefined : Number(text);
}
