import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Begins the name of every such directory, and of nothing else that is ever removed. */
export const runPrefix = 'bt-';

/**
 * The directory for temporary files of one run of the tests. Workloads, holders of sockets and parts of an installation outlive
 * on purpose what has started them, also a test. All of them belong to a home in this directory, so when the runner is gone,
 * however it went, `end-run.ts` finds them by it.
 */
export function runDirectory(): string {
  runs[key] ??= openDirectory();
  return runs[key];
}

/** The same for whoever may run in the run's own process or in a worker, which has it as its place for temporary files. */
export function runBeneath(): string {
  return runs[key] ?? tmpdir();
}

/** Vitest loads its settings once more for each project, so a variable of this module is not enough. */
const key = Symbol.for('the directory of this run of the tests');
const runs = globalThis as { [key]?: string };

function openDirectory(): string {
  // Short, since sockets lie beneath it.
  const directory = mkdtempSync(join(tmpdir(), runPrefix));
  // As the system's own one: other users make directories in it, and remove none.
  chmodSync(directory, 0o1777);
  const program = join(import.meta.dirname, 'end-run.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, directory], {
    // The pipe is what tells it: it ends when we do. A session of its own keeps Ctrl-C away from it.
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  child.stdin.on('error', () => {});
  return directory;
}
