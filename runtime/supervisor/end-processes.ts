import { realpathSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type MarkedProcess, markedProcesses } from '../../machine/marked-processes.ts';
import { isAlive, type ProcessIdentity, processesWorkingIn, signal } from '../../machine/process-identity.ts';
import type { Home } from '../home/home.ts';
import { Refusal } from './refusal.ts';
import { markOf, partMark, readRunRecord } from './run-record.ts';

const longestStop = 30_000;
const longestEnd = 5_000;

/** Asks the running supervisor to stop everything, and waits for it. Says whether there was one. */
export async function endSupervisor(home: Home): Promise<boolean> {
  const supervisor = readRunRecord(home)?.supervisor;
  if (supervisor === undefined || !isAlive(supervisor)) return false;
  // To it alone: its parts are stopped by it, in order.
  process.kill(supervisor.pid, 'SIGTERM');
  if (await gone([supervisor], longestStop)) return true;
  throw new Refusal(
    `Ballast (process ${supervisor.pid}) did not stop within ${longestStop / 1000} s; end it with \`kill -9 ${supervisor.pid}\` and run this again.`,
  );
}

const stopOrder = ['agent', 'api', 'identity', 'worker', 'temporal', 'postgres'];

/**
 * Ends what a supervisor left behind that was killed itself, and what it could not write down. Only for the holder of the
 * home's lock. A pid that was given to another process meanwhile is left alone. Refuses when something cannot be ended.
 */
export async function endOrphans(home: Home, onOrphan: (part: string) => void): Promise<void> {
  const marked = markedProcesses(partMark);
  for (const part of stopOrder) {
    const orphans = orphansOf(home, part, marked);
    if (orphans.length === 0) continue;
    onOrphan(part);
    for (const orphan of orphans) signal(orphan, part === 'postgres' ? 'SIGINT' : 'SIGTERM');
    if (await gone(orphans, longestEnd)) continue;
    for (const orphan of orphans) signal(orphan, 'SIGKILL');
    if (await gone(orphans, longestEnd)) continue;
    const left = orphans.filter(isAlive).map(({ pid }) => pid);
    throw new Refusal(
      `The ${part} of ${home.path} could not be ended (process ${left.join(', ')}); end it with \`kill -9 ${left.join(' ')}\` as the user that started it, or as root.`,
    );
  }
}

function orphansOf(home: Home, part: string, marked: readonly MarkedProcess[]): ProcessIdentity[] {
  const recorded = readRunRecord(home)?.parts[part];
  const ours = marked.filter(({ value }) => value === markOf(home, part));
  // PostgreSQL writes over its environment, so it is known by where it works.
  const working = part === 'postgres' ? processesWorkingIn(dataOf(home)) : [];
  const all = [...(recorded === undefined ? [] : [recorded]), ...ours, ...working];
  return [...new Map(all.map((one) => [one.pid, { pid: one.pid, started: one.started }])).values()].filter(isAlive);
}

function dataOf(home: Home): string {
  try {
    return realpathSync(home.postgres);
  } catch {
    return home.postgres;
  }
}

async function gone(processes: readonly ProcessIdentity[], milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (processes.some(isAlive)) {
    if (performance.now() > deadline) return false;
    await wait(20);
  }
  return true;
}
