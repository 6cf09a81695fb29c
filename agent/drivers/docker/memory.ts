import type { Engine } from './engine.ts';

const freshMilliseconds = 10_000;

/** Memory use of containers, read in the background because the engine is slow to answer. */
export class MemoryUse {
  readonly #engine: Engine;
  readonly #known = new Map<string, { at: number; bytes: number | undefined }>();
  #asking: Promise<void> = Promise.resolve();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  of(container: string): number | undefined {
    const known = this.#known.get(container);
    if (known === undefined || Date.now() - known.at > freshMilliseconds) {
      this.#known.set(container, { at: Date.now(), bytes: known?.bytes });
      this.#asking = this.#asking.then(() => this.#look(container));
    }
    return known?.bytes;
  }

  /** Forgets all that do not run. */
  keep(running: ReadonlySet<string>): void {
    for (const container of this.#known.keys()) if (!running.has(container)) this.#known.delete(container);
  }

  async #look(container: string): Promise<void> {
    const once = { stream: false, 'one-shot': true } as const;
    const found = await this.#engine.ask((docker) => docker.getContainer(container).stats(once)).catch(() => undefined);
    const known = this.#known.get(container);
    if (known === undefined || found?.memory_stats?.usage === undefined) return;
    const { usage, stats } = found.memory_stats;
    // Pages of files that can be dropped any time are not counted, as `docker stats` does not.
    const files = stats?.total_inactive_file ?? stats?.inactive_file ?? 0;
    this.#known.set(container, { at: known.at, bytes: Math.max(0, usage - files) });
  }
}
