import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Megabytes of memory that a process and its children hold. What they share (PostgreSQL's buffers) counts once where the
 * system tells, which is on Linux.
 */
export function residentMegabytes(pid: number): number {
  const kilobytes = family(pid).map(process.platform === 'linux' ? sharedOnce : byPs);
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

function sharedOnce(pid: number, _: number, all: number[]): number {
  const field = all.length === 1 ? /^Rss:\s+(\d+)/m : /^Pss:\s+(\d+)/m;
  try {
    return Number(field.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    // The process has ended since it was listed.
    return 0;
  }
}

function byPs(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}

/** The process and its children; those of PostgreSQL have none themselves. */
function family(pid: number): number[] {
  if (process.platform !== 'linux') return [pid];
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children];
}
