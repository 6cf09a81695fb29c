import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { identify, type ProcessIdentity } from '../../machine/process-identity.ts';

interface Relations {
  parent: number;
  /** The leader of the session that it belongs to. */
  session: number;
}

/** Every process of the machine at this moment, by one `ps`: asked for each of a hundred, it would take seconds. */
function everyProcess(): Map<number, Relations> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,sess='], { encoding: 'utf8' }).trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [pid = 0, parent = 0, session = 0] = line.trim().split(/\s+/).map(Number);
      return [pid, { parent, session }];
    }),
  );
}

/** Processes and all that descends from them, each after its parent. */
export function familyOf(...roots: number[]): ProcessIdentity[] {
  return descendants(roots, everyProcess()).flatMap((one) => identify(one) ?? []);
}

/** The same without those that work in a session of their own: they go on when the rest ends. */
export function familyInSessionsOf(...roots: number[]): ProcessIdentity[] {
  const every = everyProcess();
  const sessions = new Set(roots.flatMap((root) => every.get(root)?.session ?? []));
  const found = descendants(roots, every).filter((one) => sessions.has(every.get(one)?.session ?? 0));
  return found.flatMap((one) => identify(one) ?? []);
}

function descendants(roots: readonly number[], every: Map<number, Relations>): number[] {
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of every) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const family = new Set(roots);
  // A set that grows is walked to its new end.
  for (const one of family) for (const child of children.get(one) ?? []) family.add(child);
  return [...family];
}

/** To that process alone, never to its group; one that is gone already is no matter. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Returns when none of its threads runs any more: the signal alone only asks for that. */
export function stopProcess(pid: number): void {
  signalProcess(pid, 'SIGSTOP');
  const tick = new Int32Array(new SharedArrayBuffer(4));
  const moves = (thread: string) => !['T', 't', 'Z', 'X', undefined].includes(stateOf(`${pid}/task/${thread}`));
  while (threadsOf(pid).some(moves)) Atomics.wait(tick, 0, 0, 1);
}

/** Whether it computes, or is about to, and does not wait for anything. Only Linux tells. */
export function isRunning(pid: number): boolean {
  return stateOf(String(pid)) === 'R';
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function stateOf(path: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${path}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2];
  } catch {
    return undefined;
  }
}
