import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * A pid alone names nobody for long: the system gives it to the next process. Together with the time the process
 * started (and, on Linux, the boot it started in) it names one process for ever.
 */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

/** The present holder of a pid; undefined without one, or if it is a zombie that waits to be reaped. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/** Sends a signal to the process and, where it leads one, to its whole group. Says whether anybody was there. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  for (const target of [-identity.pid, identity.pid]) {
    try {
      process.kill(target, name);
      return true;
    } catch {
      // No such group: the process leads none, so it is signalled by itself.
    }
  }
  return false;
}

/** The processes that work in a directory. Only Linux tells; elsewhere none are found. */
export function processesWorkingIn(directory: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && workingDirectory(pid) === directory)
    .flatMap((pid) => identify(pid) ?? []);
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function startedOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in parentheses and may hold anything, so the fields are counted from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const ticks = fields[19];
    return state === 'Z' || state === 'X' || ticks === undefined ? undefined : `${bootId()}/${ticks}`;
  } catch {
    return undefined;
  }
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}

function startedByPs(pid: number): string | undefined {
  try {
    const [state, ...started] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trim()
      .split(/\s+/);
    return state === undefined || state.startsWith('Z') || started.length === 0 ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}
