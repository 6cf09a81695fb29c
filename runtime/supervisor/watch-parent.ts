import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Home, readHome } from '../home/home.ts';
import { tryLock } from '../home/lock.ts';
import { endOrphans } from './end-processes.ts';

/** Starts a process that ends the parts of this home as soon as this process has ended, in whatever way. */
export function watchParent(home: Home): { end(): void } {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url), home.path],
    {
      // The pipe is what tells it: it ends when we do. A session of its own keeps signals to our group away from it.
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  child.unref();
  child.stdin.on('error', () => {});
  return { end: () => child.stdin.end() };
}

async function endWithParent(path: string): Promise<void> {
  for await (const _ of process.stdin);
  const home = readHome(path);
  // Held by somebody: another start of this home has ended the orphans itself.
  const lock = tryLock(home.file('run', 'lock'));
  if (lock === undefined) return;
  await endOrphans(home, () => {});
  lock.release();
}

if (import.meta.main) await endWithParent(process.argv[2] ?? '').catch(() => {});
