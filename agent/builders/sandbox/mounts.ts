import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { contentOf } from '../../../machine/files.ts';
import type { ProcessIdentity } from '../../../machine/process-identity.ts';

/** A folder or device of the machine, and where it is inside. */
export interface Mount {
  from: string;
  at: string;
  kind: 'read-only' | 'writable' | 'device';
}

/** The programs of the machine. Where these are links, as on most machines, they stay links. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** The files of /etc that programs need and that say nothing about who the machine is or what it is for. */
const configuration = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'debian_version', 'fonts'],
  ...['gai.conf', 'java', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'login.defs', 'magic', 'maven'],
  ...['mime.types', 'os-release', 'perl', 'php', 'pki', 'protocols', 'python3', 'redhat-release', 'services', 'ssl'],
  ...['terminfo', 'timezone', ...['8', '11', '17', '21', '25'].map((version) => `java-${version}-openjdk`)],
];

const devices = ['null', 'zero', 'full', 'random', 'urandom'];

/** Makes the root of a sandbox: folders, links and the few files that are its own. Answers what is mounted in it. */
export function makeRoot(root: string, user: number): Mount[] {
  const mounts: Mount[] = [];
  for (const at of ['/.old', '/build', '/cache', '/dev', '/etc', '/home/build', '/proc', '/run', '/tmp', '/var'])
    mkdirSync(join(root, at), { recursive: true, mode: 0o755 });
  for (const [at, to] of Object.entries(links)) symlinkSync(to, join(root, at));
  for (const [name, content] of Object.entries(ownFiles(user))) writeFileSync(join(root, 'etc', name), content);
  for (const at of [...system, ...configuration.map((name) => `/etc/${name}`)]) {
    const there = lstatSync(at, { throwIfNoEntry: false });
    if (there?.isSymbolicLink()) symlinkSync(readlinkSync(at), join(root, at));
    else if (there?.isDirectory() || there?.isFile()) mounts.push({ from: at, at, kind: 'read-only' });
  }
  for (const name of devices) mounts.push({ from: `/dev/${name}`, at: `/dev/${name}`, kind: 'device' });
  return mounts;
}

const links = {
  '/dev/fd': '/proc/self/fd',
  '/dev/stdin': '/proc/self/fd/0',
  '/dev/stdout': '/proc/self/fd/1',
  '/dev/stderr': '/proc/self/fd/2',
  '/dev/shm': '/tmp',
  '/var/tmp': '/tmp',
};

function ownFiles(user: number): Record<string, string> {
  return {
    passwd: `root:x:0:0:root:/:/bin/sh\nbuild:x:${user}:${user}:build:/home/build:/bin/sh\n`,
    group: `root:x:0:\nbuild:x:${user}:\n`,
    hosts: '127.0.0.1 localhost build\n::1 localhost\n',
    hostname: 'build\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
    'resolv.conf': '',
  };
}

/** The table that `mount -a` reads, and mounts of the machine within those folders, which stay writable unless they are named. */
export function writeMounts(folder: string, mounts: readonly Mount[], hidden: string): void {
  const root = join(folder, 'root');
  for (const { from, at, kind } of mounts) makePoint(join(root, at), kind === 'device' || lstatSync(from).isFile());
  const lines = mounts.map(
    ({ from, at, kind }) => `${spelled(from)} ${spelled(join(root, at))} none ${options[kind]} 0 0`,
  );
  lines.push(`proc ${spelled(join(root, 'proc'))} proc nosuid,nodev,noexec,hidepid=2 0 0`);
  for (const { from, at } of mounts.filter(({ from }) => hidden.startsWith(`${from}/`))) {
    const place = join(root, at, hidden.slice(from.length));
    lines.push(`tmpfs ${spelled(place)} tmpfs ro,nosuid,nodev,size=4k,mode=755 0 0`);
  }
  writeFileSync(join(folder, 'fstab'), `${lines.join('\n')}\n`);
  const beneath = mounts.filter(({ kind }) => kind === 'read-only').flatMap(({ from, at }) => mountedIn(from, at));
  writeFileSync(join(folder, 'beneath'), beneath.map((point) => `${point}\n`).join(''));
}

const options = {
  'read-only': 'rbind,ro,nosuid,nodev',
  writable: 'bind,nosuid,nodev',
  device: 'bind',
};

function makePoint(path: string, isFile: boolean): void {
  mkdirSync(isFile ? dirname(path) : path, { recursive: true, mode: 0o755 });
  if (isFile && !existsSync(path)) writeFileSync(path, '');
}

function mountedIn(from: string, at: string): string[] {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8))),
    );
  return [...new Set(points)]
    .filter((point) => point.startsWith(`${from}/`))
    .map((point) => at + point.slice(from.length));
}

/** A path as it stands in a table of file systems. */
function spelled(path: string): string {
  return path.replace(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

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
