import type { Home } from '../home/home.ts';
import { KeptPart, type PartEvent } from './kept-part.ts';
import { logPath, type Part } from './part.ts';
import { RunningProcesses } from './run-record.ts';

/** When each part must be done, in milliseconds after the stop began; together they stay below ten seconds. */
export const stopPlan = [
  { name: 'agent', hurryAt: 1_500, killAt: 2_000 },
  { name: 'api', hurryAt: 3_500, killAt: 4_000 },
  { name: 'identity', hurryAt: 4_500, killAt: 4_800 },
  { name: 'worker', hurryAt: 6_500, killAt: 7_000 },
  { name: 'temporal', hurryAt: 7_800, killAt: 8_000 },
  { name: 'postgres', hurryAt: 8_600, killAt: 9_300 },
] as const;

const rotateEvery = 30_000;

/** Keeps the parts of one installation running, and stops them in order: who serves people first, who stores last. */
export class Supervisor {
  readonly #home: Home;
  readonly #report: (event: PartEvent) => void;
  readonly #processes: RunningProcesses;
  readonly #parts = new Map<Part['name'], KeptPart>();
  readonly #rotation: NodeJS.Timeout;
  #stopped: Promise<void> | undefined;

  /** `address` is what a second start is told. */
  constructor(home: Home, address: string, report: (event: PartEvent) => void) {
    this.#home = home;
    this.#report = report;
    this.#processes = new RunningProcesses(home, address);
    this.#rotation = setInterval(() => {
      for (const part of this.#parts.values()) part.rotateLog();
    }, rotateEvery).unref();
  }

  /** Starts a part and keeps it running; resolves when it is ready for the first time. */
  start(part: Part): Promise<void> {
    const kept = new KeptPart({
      part,
      log: logPath(this.#home, part.name),
      processes: this.#processes,
      report: this.#report,
    });
    this.#parts.set(part.name, kept);
    return kept.start();
  }

  /** Ends a part that runs, so that it is started again as its command is now. */
  restart(name: Part['name']): void {
    this.#parts.get(name)?.restart();
  }

  /** Stops everything in order within ten seconds. A second call waits for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopInOrder();
    return this.#stopped;
  }

  /** Makes a stop that is under way end at once. */
  hurry(): void {
    for (const part of this.#parts.values()) part.kill();
  }

  async #stopInOrder(): Promise<void> {
    clearInterval(this.#rotation);
    const began = Date.now();
    for (const { name, hurryAt, killAt } of stopPlan)
      await this.#parts.get(name)?.stop(began + hurryAt, began + killAt);
    this.#processes.remove();
  }
}
