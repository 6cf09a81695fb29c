import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import { homeLabel } from './labels.ts';

const told = ['create', 'start', 'die', 'oom', 'destroy', 'pause', 'unpause', 'rename'];

/** Calls for each change that the engine tells of containers of the home, until it is stopped. */
export class Events {
  readonly #engine: Engine;
  readonly #home: string;
  readonly #listeners = new Set<() => void>();
  #stopped: AbortController | undefined;
  /** Nothing is missed while it is: a look that is as new as the last event is true. */
  connected = false;

  constructor(engine: Engine, home: string) {
    this.#engine = engine;
    this.#home = home;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#stopped === undefined) {
      this.#stopped = new AbortController();
      void this.#follow(this.#stopped.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stopped?.abort();
      this.#stopped = undefined;
    };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const filters = { type: ['container'], event: told, label: [`${homeLabel}=${this.#home}`] };
    const path = `/events?filters=${encodeURIComponent(JSON.stringify(filters))}`;
    let milliseconds = 100;
    while (!signal.aborted) {
      try {
        const events = await this.#engine.open(path, signal);
        this.connected = true;
        milliseconds = 100;
        this.#tell();
        for await (const _ of events) this.#tell();
      } catch {
        // The engine is away: who asks it something is told so, and here it is only waited for.
      }
      this.connected = false;
      this.#tell();
      await pause(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
      milliseconds = Math.min(milliseconds * 2, 5_000);
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
