import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { contentOf } from '../../../machine/files.ts';
import { signal as send } from '../../../machine/process-identity.ts';
import { bareEnvironment } from '../../drivers/process/launch/begin-run.ts';
import { become, enter, type Programs } from './inside.ts';
import type { Limits } from './limits.ts';
import { initOf } from './mounts.ts';
import { listen } from './network.ts';

const script = fileURLToPath(new URL('./enter-sandbox.sh', import.meta.url));

export interface First {
  programs: Programs;
  user: number | undefined;
  folder: string;
  groups: readonly string[];
  limits: Limits;
}

/** Starts the first process of a sandbox. It waits for the script of the build on its standard input. */
export function spawnFirst({ programs, user, folder, groups, limits }: First): ChildProcess {
  const [program = '', ...entering] = enter(programs, user);
  // Twice the limits: the watcher sees who exceeds them, and nobody comes much further meanwhile.
  const most = { processes: groups.length > 0 ? undefined : limits.processes * 2, fileBytes: limits.diskBytes * 2 };
  const then = become(programs, user, most);
  const args = [
    ...entering,
    '/bin/sh',
    script,
    folder,
    process.execPath,
    listen,
    String(process.pid),
    ...groups,
    '--',
    ...then,
  ];
  const nowhere = openSync('/dev/null', constants.O_RDWR);
  const stdio: ('pipe' | 'ignore' | 'ipc' | number)[] = ['pipe', 'ignore', 'pipe', 'ipc'];
  for (const descriptor of inherited()) {
    while (stdio.length < descriptor) stdio.push('ignore');
    stdio[descriptor] = nowhere;
  }
  const child = spawn(program, args, { detached: true, stdio, env: bareEnvironment });
  closeSync(nowhere);
  // The build may end before it has read the whole script.
  child.stdin?.on('error', () => undefined);
  return child;
}

const closedOnExec = 0o2000000;

/** Descriptors that whoever started the agent has left open, and that each child would get. Node's own are closed. */
function inherited(): number[] {
  const open = readdirSync('/proc/self/fdinfo').map((name) => {
    const [, flags] = /^flags:\s+(\d+)$/m.exec(contentOf(`/proc/self/fdinfo/${name}`)) ?? [];
    return { descriptor: Number(name), flags: flags === undefined ? closedOnExec : Number.parseInt(flags, 8) };
  });
  const left = open.filter(({ descriptor, flags }) => descriptor > 3 && (flags & closedOnExec) === 0);
  return left.map(({ descriptor }) => descriptor).sort((one, other) => one - other);
}

/** With the first process all of them end, and its parent ends when nobody is left. */
export function kill(child: ChildProcess, folder: string): void {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const init = initOf(folder);
  if (init !== undefined && send(init, 'SIGKILL')) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

const mostTrouble = 4_000;

/** The word of the first process: it speaks only when the sandbox cannot be made. */
export function textOf(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    text = `${text}${bytes}`.slice(0, mostTrouble);
  });
  // Said by `unshare` 2.38 of a child that was killed.
  return () => text.replace(/^unshare: sigprocmask unblock failed.*$/m, '').trim();
}
