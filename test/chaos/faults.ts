import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runningAgent } from '../../agent/home/sole-agent.ts';
import { IngressFiles } from '../../agent/ingress/ingress-files.ts';
import { IngressProcesses } from '../../agent/ingress/ingress-processes.ts';
import { isAlive, type ProcessIdentity } from '../../machine/process-identity.ts';
import type { Installation } from '../installation/installation.ts';
import { familyOf, signalProcess, stopProcess } from '../installation/process-family.ts';
import type { FaultFact } from './facts.ts';
import type { FaultyPart, PlannedFault } from './schedule.ts';

/** Kills and pauses parts of one installation, by the ids in the record of its home and nobody else's. */
export class Faults {
  readonly #installation: Installation;
  readonly done: FaultFact[] = [];
  readonly #paused = new Set<ProcessIdentity>();

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  /** One after the other until the end. `told` hears of each once it is over. */
  async carryOut(plan: readonly PlannedFault[], ending: AbortSignal, told: (fault: FaultFact) => void): Promise<void> {
    const over = { signal: ending };
    for (const planned of plan) {
      await pause(planned.after * 1_000, undefined, over).catch(() => undefined);
      if (ending.aborted) return;
      const fault = await this.#carryOut(planned, ending);
      this.done.push(fault);
      told(fault);
      if (planned.rests && !ending.aborted) await this.#ready(ending);
    }
  }

  async #carryOut({ what, parts, lasts }: PlannedFault, ending: AbortSignal): Promise<FaultFact> {
    const at = new Date().toISOString();
    const targets = parts.flatMap((part) => this.#processes(part, what === 'pause'));
    const pids = targets.map(({ pid }) => pid);
    const fact = (note: string): FaultFact => ({ at, until: new Date().toISOString(), what, parts, pids, note });
    if (targets.length === 0) return fact('not there: it was starting');
    if (what === 'pause') {
      for (const one of targets) {
        this.#paused.add(one);
        stopProcess(one.pid);
      }
      await pause(lasts * 1_000, undefined, { signal: ending }).catch(() => undefined);
      this.thaw();
      return fact('');
    }
    for (const { pid } of targets) signalProcess(pid, 'SIGKILL');
    if (parts.includes('supervisor')) {
      await this.#installation.ended();
      await this.#installation.start();
      return fact('started again');
    }
    for (const part of parts) await this.#replaced(part, pids);
    return fact('');
  }

  /** Lets go on what is paused; nothing stays so when a run ends early. */
  thaw(): void {
    for (const one of this.#paused) if (isAlive(one)) signalProcess(one.pid, 'SIGCONT');
    this.#paused.clear();
  }

  /** A pause stops all that works for a part, a kill only its own process: what it has started must end by itself. */
  #processes(part: FaultyPart, family: boolean): ProcessIdentity[] {
    const roots = this.#roots(part);
    const all = familyOf(...roots);
    // Instances and the ingress descend from the agent, and go on without it.
    return family && part !== 'agent' ? all : all.filter(({ pid }) => roots.includes(pid));
  }

  #roots(part: FaultyPart): number[] {
    const { parts, home } = this.#installation;
    if (part === 'supervisor') return [parts.supervisor() ?? []].flat();
    if (part === 'ingress') return [this.#ingress()?.pid ?? []].flat();
    const agent = part === 'agent' ? runningAgent(join(home, 'agent'))?.pid : undefined;
    return [parts.find(part) ?? [], agent ?? []].flat();
  }

  #ingress(): ProcessIdentity | undefined {
    return new IngressProcesses(new IngressFiles(join(this.#installation.home, 'agent', 'ingress'))).serving;
  }

  async #replaced(part: FaultyPart, before: readonly number[]): Promise<void> {
    await this.#installation.until(
      `another ${part}`,
      async () => {
        const now = this.#roots(part);
        return now.length > 0 && now.every((pid) => !before.includes(pid));
      },
      120,
    );
  }

  async #ready(ending: AbortSignal): Promise<void> {
    await this.#installation.until(
      '/readyz after a fault',
      async (see) => ending.aborted || see(await this.#installation.readiness())?.ready,
      300,
    );
  }
}
