import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runningAgent } from '../../agent/home/sole-agent.ts';
import { isAlive } from '../../machine/process-identity.ts';
import { readHome } from '../../runtime/home/home.ts';
import { type RunRecord, readRunRecord } from '../../runtime/supervisor/run-record.ts';
import { familyOf, signalProcess, stopProcess } from './process-family.ts';

export const partNames = ['postgres', 'temporal', 'api', 'worker', 'identity'] as const;
/** The agent is there where a test wants a local cluster. */
export type PartName = (typeof partNames)[number] | 'agent';

/** The processes that a supervisor keeps, as its home records them. Signals go to single processes, by their ids. */
export class RunningParts {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  supervisor(): number | undefined {
    return this.#record()?.supervisor.pid;
  }

  /** Undefined between the end of one process and the start of the next. */
  find(part: PartName): number | undefined {
    const found = this.#record()?.parts[part];
    return found && isAlive(found) ? found.pid : undefined;
  }

  pid(part: PartName): number {
    const pid = this.find(part);
    if (pid === undefined) throw new Error(`No process is recorded for ${part}; it may be starting just now.`);
    return pid;
  }

  kill(...parts: (PartName | 'supervisor')[]): void {
    const pids = parts.flatMap((part) => {
      if (part === 'agent') return this.#launched();
      return part === 'supervisor' ? (this.supervisor() ?? []) : this.pid(part);
    });
    for (const pid of pids) signalProcess(pid, 'SIGKILL');
  }

  /** Hangs as a machine does that is overloaded: its connections stand, and nobody answers. It stands when this returns. */
  freeze(part: PartName): void {
    for (const pid of this.#programs(part)) stopProcess(pid);
  }

  thaw(part: PartName): void {
    for (const pid of this.#programs(part)) signalProcess(pid, 'SIGCONT');
  }

  /** The supervisor and the parts, of which everything else descends. */
  roots(): number[] {
    const roots = [this.supervisor(), ...partNames.map((part) => this.find(part)), this.find('agent')];
    return roots.filter((root) => root !== undefined);
  }

  /** All that works for a part. Instances and the ingress descend from the agent, but go on without it. */
  #programs(part: PartName): number[] {
    return part === 'agent' ? this.#launched() : familyOf(this.pid(part)).map(({ pid }) => pid);
  }

  /** The part is the launcher; the agent is a child of it, and would go on if only that were signalled. */
  #launched(): number[] {
    return [this.pid('agent'), runningAgent(join(this.#home, 'agent'))?.pid ?? []].flat();
  }

  #record(): RunRecord | undefined {
    if (!existsSync(join(this.#home, 'home.json'))) return undefined;
    return readRunRecord(readHome(this.#home));
  }
}
