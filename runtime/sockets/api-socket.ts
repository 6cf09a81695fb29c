import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Home } from '../home/home.ts';
import { dataOfRoot } from '../postgres/postgres-data.ts';
import { Refusal } from '../supervisor/refusal.ts';

/** The operating system takes 107 bytes at most, on macOS 103. */
const longestPath = 100;

/**
 * Where the API and the agent of this machine meet: a socket in the home, which lets nobody in. A home whose path is too
 * long has it in a directory of its own elsewhere, which is just as closed.
 */
export function apiSocket(home: Home): string {
  const inHome = home.file('run', 'api.sock');
  if (Buffer.byteLength(inHome) <= longestPath) return inHome;
  const uid = process.getuid?.();
  const directory = uid === 0 ? dataOfRoot : tmpdir();
  const short = join(directory, `${home.record.installation}-run`, 'api.sock');
  closedDirectory(dirname(short), uid);
  return short;
}

/** Where the API reads the metrics of this home's worker: beside its own socket. */
export function workerSocket(home: Home): string {
  return join(dirname(apiSocket(home)), 'worker.sock');
}

/** In a directory where others may write, somebody may have been faster. */
function closedDirectory(path: string, uid: number | undefined): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  if (found.isDirectory() && (uid === undefined || found.uid === uid) && (found.mode & 0o077) === 0) return;
  throw new Refusal(
    `${path} must be a directory that only you can enter, and is not; delete it, or set BALLAST_HOME to a shorter path.`,
  );
}
