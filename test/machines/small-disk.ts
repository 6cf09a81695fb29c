import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notRun } from '../run/not-run.ts';

export interface SmallDisk {
  directory: string;
  /** Until nothing can be written any more. */
  fill(): void;
  /** Takes away what `fill` wrote. */
  free(): void;
  remove(): void;
}

/** A disk of its own, in memory, that can be full; undefined where this machine lets nobody mount one. */
export function smallDisk(megabytes: number): SmallDisk | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', directory], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(directory, { recursive: true });
    notRun('full disks', 'run the tests as root, where a tmpfs can be mounted');
    return undefined;
  }
  const filling = join(directory, 'filling');
  return {
    directory,
    fill() {
      const piece = Buffer.alloc(4_096, 1);
      try {
        for (;;) writeFileSync(filling, piece, { flag: 'a' });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    },
    free: () => rmSync(filling, { force: true }),
    remove() {
      execFileSync('umount', ['-l', directory]);
      rmSync(directory, { recursive: true });
    },
  };
}
