import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { identify } from '../../machine/process-identity.ts';
import type { Home } from '../home/home.ts';
import { errorCode, messageOf, Refusal } from './refusal.ts';

const identity = z.object({ pid: z.int(), started: z.string() });
const runRecord = z.object({
  supervisor: identity,
  address: z.string(),
  parts: z.record(z.string(), identity.extend({ stopSignal: z.string() })),
});
export type RunRecord = z.infer<typeof runRecord>;

/** By this variable a process is known as a part, even when nobody could write it down. */
export const partMark = 'BALLAST_PART';

export function markOf(home: Home, part: string): string {
  return `${part} of ${home.path}`;
}

/** `run/processes.json`: the processes of the running installation, so that other commands can end or inspect them. */
export class RunningProcesses {
  readonly path: string;
  readonly #home: Home;
  readonly #record: RunRecord;

  constructor(home: Home, address: string) {
    this.#home = home;
    this.path = recordPath(home);
    const supervisor = identify(process.pid) ?? { pid: process.pid, started: '' };
    this.#record = { supervisor, address, parts: {} };
    try {
      this.#write();
    } catch (error) {
      throw new Refusal(
        `${this.path} cannot be written (${errorCode(error) || messageOf(error)}), and without it no part could be ended; free space on the disk, or make the directory writable.`,
      );
    }
  }

  /** Of the agent nothing is marked: its instances would inherit the mark, and outlive it on purpose. */
  mark(part: string): Record<string, string> {
    return part === 'agent' ? {} : { [partMark]: markOf(this.#home, part) };
  }

  /** Written at once: a supervisor that is killed a moment later leaves no child that nobody knows. Throws if it cannot. */
  started(part: string, pid: number, stopSignal: NodeJS.Signals): void {
    const found = identify(pid);
    if (found === undefined) return;
    this.#record.parts[part] = { ...found, stopSignal };
    this.#write();
  }

  /** Never throws: an entry that stays names a process that is gone, and readers check that. */
  ended(part: string): void {
    delete this.#record.parts[part];
    try {
      this.#write();
    } catch {
      // Written with the next change.
    }
  }

  remove(): void {
    try {
      rmSync(this.path, { force: true });
    } catch {
      // All that it names is gone, and readers check that.
    }
  }

  #write(): void {
    writeFileAtomically(this.path, `${JSON.stringify(this.#record, undefined, 2)}\n`);
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
