import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, type ProcessIdentity, signal } from '../../../machine/process-identity.ts';
import { groupsIn } from './instance-files.ts';
import { membersOf } from './launch/control-groups.ts';
import { lastRun, type Run } from './runs.ts';

/**
 * Everybody whom a run has started and who is still there: the members of its control groups or, without those, its
 * session.
 */
export function leftovers(groups: readonly string[], run: Run | undefined): ProcessIdentity[] {
  const leader = run?.child && identify(run.child.pid);
  const own = leader !== undefined && leader.started === run?.child?.started;
  const found = new Set(membersOf(groups));
  if (own) found.add(leader.pid);
  // A pid is not given again while a session has its number: if somebody else has it, the session is over.
  if (groups.length === 0 && run?.child !== undefined && (own || leader === undefined))
    for (const pid of pids()) if (sessionOf(pid) === run.child.pid) found.add(pid);
  return [...found].flatMap((pid) => identify(pid) ?? []);
}

/** Everybody in the session that this process leads or led. */
export function sessionMembers(leader: ProcessIdentity): ProcessIdentity[] {
  const now = identify(leader.pid);
  // A pid is not given again while a session has its number: if somebody else has it, the session is over.
  if (now !== undefined && now.started !== leader.started) return [];
  return pids().flatMap((pid) => (sessionOf(pid) === leader.pid ? (identify(pid) ?? []) : []));
}

/** Keepers that an agent started for a directory just before it died, and that have no run yet. */
export function lateKeepers(directory: string): ProcessIdentity[] {
  const known = lastRun(directory)?.keeper?.pid;
  return pids().flatMap((pid) => (pid !== known && keeperOf(pid) === directory ? (identify(pid) ?? []) : []));
}

/** Kills until nobody is left, since what is killed may just have started something. */
export async function killAll(who: () => ProcessIdentity[]): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (let left = who(); left.length > 0; left = who()) {
    if (Date.now() > deadline)
      throw new Error(`Process ${left[0]?.pid} cannot be ended; the system may wait for a disk or a network share.`);
    for (const identity of left) signal(identity, 'SIGKILL');
    await pause(10);
  }
}

function pids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function sessionOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
  } catch {
    return undefined;
  }
}

/** The directory for which this process is a keeper. */
function keeperOf(pid: number): string | undefined {
  try {
    const [, script, directory] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return script?.endsWith('/keeper.sh') ? directory : undefined;
  } catch {
    return undefined;
  }
}

/** Asks a run to end, and resolves when nobody of it is left; kills them all when the time is over. */
export async function endRun(directory: string, graceSeconds: number): Promise<void> {
  const begun = performance.now();
  for (let asked: number | undefined; performance.now() - begun < graceSeconds * 1_000; await pause(15)) {
    const run = lastRun(directory);
    if (!run?.running) break;
    // The one that is asked may be a keeper's late child: each is asked once.
    if (run.child !== undefined && asked !== run.child.pid) {
      signal(run.child, 'SIGTERM');
      asked = run.child.pid;
    }
  }
  await killAll(() => lateKeepers(directory));
  const deadline = Date.now() + 20_000;
  for (;;) {
    await killAll(() => leftovers(groupsIn(directory), lastRun(directory)));
    // The run's keeper may still have to record an exit that it has seen, or even to start its child.
    const run = lastRun(directory);
    if (!run?.running) return;
    if (Date.now() > deadline && run.keeper !== undefined) signal(run.keeper, 'SIGKILL');
    await pause(5);
  }
}
