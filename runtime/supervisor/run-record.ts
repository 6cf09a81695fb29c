import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { identify, isAlive, signal } from '../../machine/process-identity.ts';
import type { Home } from '../home/home.ts';

const identity = z.object({ pid: z.int(), started: z.string() });
const runRecord = z.object({
  supervisor: identity,
  address: z.string(),
  parts: z.record(z.string(), identity.extend({ stopSignal: z.string() })),
});
export type RunRecord = z.infer<typeof runRecord>;

/** `run/processes.json`: which processes make up the running installation, for whoever has to end or to look at them. */
export class RunningProcesses {
  readonly #path: string;
  readonly #record: RunRecord;

  constructor(home: Home, address: string) {
    this.#path = recordPath(home);
    const supervisor = identify(process.pid) ?? { pid: process.pid, started: '' };
    this.#record = { supervisor, address, parts: {} };
    this.#write();
  }

  /** Written at once: a supervisor that is killed a moment later leaves no child that nobody knows. */
  started(part: string, pid: number, stopSignal: NodeJS.Signals): void {
    const found = identify(pid);
    if (found) this.#record.parts[part] = { ...found, stopSignal };
    this.#write();
  }

  ended(part: string): void {
    delete this.#record.parts[part];
    this.#write();
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }

  #write(): void {
    writeFileAtomically(this.#path, `${JSON.stringify(this.#record, undefined, 2)}\n`);
  }
}

function recordPath(home: Home): string {
  return home.file('run', 'processes.json');
}

export function readRunRecord(home: Home): RunRecord | undefined {
  try {
    return runRecord.safeParse(JSON.parse(readFileSync(recordPath(home), 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Asks the running supervisor to stop everything, and waits for it. Says whether there was one. */
export async function endSupervisor(home: Home): Promise<boolean> {
  const supervisor = readRunRecord(home)?.supervisor;
  if (supervisor === undefined || !isAlive(supervisor)) return false;
  // To it alone: its parts are stopped by it, in order.
  process.kill(supervisor.pid, 'SIGTERM');
  while (isAlive(supervisor)) await wait(50);
  return true;
}

const stopOrder = ['agent', 'api', 'identity', 'worker', 'temporal', 'postgres'];

/**
 * Ends what a supervisor left behind that was killed itself. Only for the holder of the home's lock. A pid that was given
 * to another process meanwhile is left alone.
 */
export async function endOrphans(home: Home, onOrphan: (part: string) => void): Promise<void> {
  const record = readRunRecord(home);
  for (const part of stopOrder) {
    const orphan = record?.parts[part];
    if (orphan === undefined || !isAlive(orphan)) continue;
    onOrphan(part);
    signal(orphan, orphan.stopSignal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    for (let tries = 0; tries < 100 && isAlive(orphan); tries += 1) await wait(50);
    signal(orphan, 'SIGKILL');
    while (isAlive(orphan)) await wait(20);
  }
}
