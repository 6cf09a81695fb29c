import type { HeardHint } from '../../db/engine/feed/feed.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    /** Wakes agents that wait for work. */
    readonly bell: Bell;
  }
}

/** The kind of the feed's entries that wake agents. Kinds that begin with `agent.` never leave the process. */
const work = 'agent.work';
const mostWaiting = 16;

/** Wakes the polls of agents that wait for work. One per process. */
export class Bell {
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /** So many wait on behalf of one cluster that no further one should: an agent needs one, and another while it restarts. */
  isCrowded(clusterId: string): boolean {
    return (this.#waiting.get(clusterId)?.size ?? 0) > mostWaiting;
  }

  /** Listens from now on, so that nothing that happens while the caller looks is missed. */
  listen(clusterId: string): Listening {
    const ears = this.#waiting.get(clusterId) ?? new Set();
    this.#waiting.set(clusterId, ears);
    let rung = this.#closed;
    let wake = (): void => undefined;
    const ring = (): void => {
      rung = true;
      wake();
    };
    ears.add(ring);
    return {
      wait: (milliseconds, signal) =>
        new Promise((resolve) => {
          if (rung || signal.aborted) return resolve();
          const timer = setTimeout(done, milliseconds);
          wake = done;
          signal.addEventListener('abort', done, { once: true });
          function done(): void {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            resolve();
          }
        }),
      leave: () => {
        ears.delete(ring);
        if (ears.size === 0 && this.#waiting.get(clusterId) === ears) this.#waiting.delete(clusterId);
      },
    };
  }

  entries(hints: readonly HeardHint[]): void {
    for (const hint of hints) if (hint.kind === work) this.ring(hint.id);
  }

  /** Something may have been missed: everybody looks. */
  resync(): void {
    for (const clusterId of [...this.#waiting.keys()]) this.ring(clusterId);
  }

  /** The process is going to stop. */
  close(): void {
    this.#closed = true;
    this.resync();
  }

  ring(clusterId: string): void {
    for (const ring of [...(this.#waiting.get(clusterId) ?? [])]) ring();
  }
}

export interface Listening {
  /** Until the bell rings, the time is up or the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}
