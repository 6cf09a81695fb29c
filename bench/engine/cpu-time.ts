import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Seconds of processor time that the processes, and the children they have or had, have used so far. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.flatMap((pid) => [pid, ...childrenOf(pid)]).reduce((sum, pid) => sum + secondsOf(pid), 0);
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    // The process has ended since it was listed.
    return [];
  }
}

function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // User and system time, its own and that of children which have ended. The name before may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  } catch {
    return 0;
  }
}
