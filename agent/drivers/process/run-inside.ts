import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { z } from 'zod';
import { identify, type ProcessIdentity, signal as send } from '../../../machine/process-identity.ts';
import type { Running } from '../driver.ts';
import { bareEnvironment, enterScript } from './launch/begin-run.ts';
import { killAll, sessionMembers } from './leftovers.ts';

const leader = z.object({ pid: z.int(), started: z.string() });

/** Runs a command beside an instance: its files, variables, user and limits. Nothing of it is left when this is over. */
export async function runInside(
  groups: readonly string[],
  become: readonly string[],
  script: string,
  { began, output, signal }: Running,
): Promise<{ code: number }> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', [enterScript, ...groups, '--', ...become], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: bareEnvironment,
  });
  const { pid } = child;
  // The group is asked for by its number: its leader may be gone while others of it are not.
  const identity = pid === undefined ? undefined : identify(pid);
  const kill = () => {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // Nobody is left.
    }
    // A shell with job control gives each of its commands a group of its own.
    if (identity !== undefined) for (const member of sessionMembers(identity)) send(member, 'SIGKILL');
  };
  child.stdout.on('data', (bytes: Buffer) => output('stdout', bytes));
  child.stderr.on('data', (bytes: Buffer) => output('stderr', bytes));
  // The program may end before it has read the whole script.
  child.stdin.on('error', () => {});
  signal.addEventListener('abort', kill, { once: true });
  try {
    // The shell does nothing before it has the script, and ends when its input does: there is no moment in which
    // something runs that is not written down.
    if (identity !== undefined) began?.(JSON.stringify(identity));
    child.stdin.end(script);

    return await new Promise<{ code: number }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, name) => {
        const told = code ?? 128 + (name === null ? 0 : constants.signals[name]);
        kill();
        // A descendant that became independent may hold the output open for ever.
        const patience = setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
        }, 1_000);
        child.once('close', () => {
          clearTimeout(patience);
          if (signal.aborted) reject(signal.reason);
          else resolve({ code: told });
        });
      });
    });
  } catch (error) {
    kill();
    throw error;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

/** Ends what `runInside` of an agent that is gone has begun: all of its session, whatever group it is in by now. */
export async function endInside(mark: string): Promise<void> {
  const identity: ProcessIdentity = leader.parse(JSON.parse(mark));
  await killAll(() => sessionMembers(identity));
}
