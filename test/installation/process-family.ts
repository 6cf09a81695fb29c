import { execFileSync } from 'node:child_process';
import { identify, type ProcessIdentity } from '../../machine/process-identity.ts';

/** A process and all that descends from it, eldest first. */
export function familyOf(pid: number): ProcessIdentity[] {
  const children = new Map<number, number[]>();
  for (const line of execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')) {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const family = [pid];
  for (const one of family) family.push(...(children.get(one) ?? []));
  return family.flatMap((one) => identify(one) ?? []);
}

/** The leader of the session that a process belongs to; 0 if there is no such process. */
export function sessionOf(pid: number): number {
  try {
    return Number(execFileSync('ps', ['-o', 'sess=', '-p', String(pid)], { encoding: 'utf8' }));
  } catch {
    return 0;
  }
}

/** To that process alone, never to its group; one that is gone already is no matter. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
