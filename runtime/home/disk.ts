import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Refusal } from '../supervisor/refusal.ts';

const gigabyte = 1024 ** 3;
/** Space for a first start: PostgreSQL and its data, the build of the Temporal server, room to begin with. */
export const firstStartBytes = 4 * gigabyte;
/** Below this PostgreSQL may run out of room for its log before anybody has noticed. */
export const laterStartBytes = gigabyte / 4;

export function freeBytes(path: string): number {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const { bavail, bsize } = statfsSync(there);
  return bavail * bsize;
}

export function refuseFullDisk(path: string, needed: number): void {
  const free = freeBytes(path);
  if (free >= needed) return;
  throw new Refusal(
    `The disk of ${path} has ${inGigabytes(free)} GB free and ${inGigabytes(needed)} GB are needed; free some space or set BALLAST_HOME to a directory on a larger disk.`,
  );
}

function inGigabytes(bytes: number): string {
  return (bytes / gigabyte).toFixed(bytes < gigabyte ? 2 : 1);
}
