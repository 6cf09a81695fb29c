import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Running } from '../driver.ts';
import { bareEnvironment, enterScript } from './launch/begin-run.ts';

/** Runs a command beside an instance: its files, variables, user and limits. Nothing of it is left when this is over. */
export async function runInside(
  groups: readonly string[],
  become: readonly string[],
  script: string,
  { output, signal }: Running,
): Promise<{ code: number }> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', [enterScript, ...groups, '--', ...become], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: bareEnvironment,
  });
  const { pid } = child;
  // The group is asked for by its number: its leader may be gone while others of it are not.
  const kill = () => {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // Nobody is left.
    }
  };
  child.stdout.on('data', (bytes: Buffer) => output('stdout', bytes));
  child.stderr.on('data', (bytes: Buffer) => output('stderr', bytes));
  // It may end before it has read all of the script.
  child.stdin.on('error', () => {});
  child.stdin.end(script);
  signal.addEventListener('abort', kill, { once: true });
  try {
    return await new Promise<{ code: number }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, name) => {
        const told = code ?? 128 + (name === null ? 0 : constants.signals[name]);
        kill();
        // What made itself independent may hold the output open for ever.
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
  } finally {
    signal.removeEventListener('abort', kill);
  }
}
