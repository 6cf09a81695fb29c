import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { type Part, readyFd } from './part.ts';
import { errorCode, messageOf } from './refusal.ts';
import type { RunningProcesses } from './run-record.ts';

export interface Started {
  process: ChildProcess;
  /** Why it ended. Never rejects. */
  ended: Promise<string>;
  /** Whether it could be written down; one that could not is being ended, and never counts as ready. */
  recorded: boolean;
  /** Resolves when it says that it is ready; undefined for a part that is asked. */
  told: Promise<'ready'> | undefined;
}

/** Starts a part and writes down that it runs. One that cannot be written down is ended: nobody would ever find it. */
export function startPart(part: Part, log: string, processes: RunningProcesses): Started {
  const { file, args, env, cwd, user, sockets = [] } = part.command();
  const output = openSync(log, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn(file, [...args], {
      env: { ...env, ...processes.mark(part.name) },
      cwd,
      ...user,
      // A session of its own, or Ctrl-C at the terminal would reach PostgreSQL before the API has finished.
      detached: true,
      stdio: ['ignore', output, output, part.ready === 'told' ? 'pipe' : 'ignore', ...sockets],
    });
  } finally {
    closeSync(output);
  }
  // Before anything that may throw: from here on there is a process, and its end must be noticed.
  let unrecorded: string | undefined;
  const ended = endOf(child).then((reason) => {
    // Children of the part must not outlive it: the next one would find its ports and files taken.
    signalGroup(child, 'SIGKILL');
    processes.ended(part.name);
    return unrecorded ?? reason;
  });
  const told = part.ready === 'told' ? heard(child.stdio[readyFd] as Readable | null | undefined) : undefined;
  try {
    if (child.pid !== undefined) processes.started(part.name, child.pid, part.stopSignal);
  } catch (error) {
    unrecorded = `it was ended, because it cannot be recorded in ${processes.path} (${errorCode(error) || messageOf(error)})`;
    signalGroup(child, 'SIGKILL');
  }
  return { process: child, ended, recorded: unrecorded === undefined, told };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`it cannot be run: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal ? `it was ended by ${signal}` : `it ended with code ${code}`));
  });
}

function heard(pipe: Readable | null | undefined): Promise<'ready'> {
  return new Promise((resolve) => {
    // The end of a pipe without a word is the end of the process, which is told elsewhere.
    pipe?.on('error', () => {});
    pipe?.once('data', () => resolve('ready'));
  });
}

/** To the part and all that it has started. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone.
  }
}
