import { setFlagsFromString } from 'node:v8';

/** CPU time used since the start of a process, and the memory that it holds now. */
export interface Use {
  /** Of the process's threads together, in milliseconds. */
  cpu: number;
  /** In milliseconds. */
  at: number;
  /** Resident, in bytes. */
  memory: number;
}

const lookEvery = 10_000;
/** So many looks in a row, a minute, must see a process that does next to nothing. */
const quietLooks = 6;
/** Of a core: polls, heartbeats and sweeps that find nothing stay below it. */
const mostCpu = 0.03;
/** Less than that is not worth a collection, in which the process answers nobody: an eighth of a second, or more on a busy machine. */
const leastGrowth = 8 * 1024 * 1024;

/** Decides when a process gives memory back: after a minute of rest, and again only when it holds more than it was left with. */
export class IdleCollection {
  readonly #collect: () => Promise<void>;
  readonly #use: () => Use;
  #last: Use;
  #quiet = 0;
  #left = 0;
  #collecting = false;

  constructor(collect: () => Promise<void>, use: () => Use = useOfThisProcess) {
    this.#collect = collect;
    this.#use = use;
    this.#last = use();
  }

  /** To be called again and again. */
  async look(): Promise<void> {
    if (this.#collecting) return;
    const now = this.#use();
    const busy = (now.cpu - this.#last.cpu) / (now.at - this.#last.at) > mostCpu;
    this.#quiet = busy ? 0 : this.#quiet + 1;
    this.#last = now;
    if (this.#quiet < quietLooks || now.memory < this.#left + leastGrowth) return;
    this.#collecting = true;
    try {
      await this.#collect();
    } finally {
      this.#collecting = false;
      this.#quiet = 0;
      this.#last = this.#use();
      this.#left = this.#last.memory;
    }
  }
}

/** From now on, as long as the process lives; it is not held open. A Node that was built without an inspector keeps what it has. */
export function collectWhenIdle(): void {
  if (!process.features.inspector) return;
  const collection = new IdleCollection(collectGarbage);
  // A collection that fails leaves everything as it was.
  setInterval(() => void collection.look().catch(() => undefined), lookEvery).unref();
}

function useOfThisProcess(): Use {
  const { user, system } = process.cpuUsage();
  return { cpu: (user + system) / 1_000, at: performance.now(), memory: process.memoryUsage.rss() };
}

/**
 * Collects the heap of this thread and gives the pages that are free then back to the system. V8 by itself collects while a
 * program allocates, and keeps what it once had. The inspector is the public way to ask for more; no port is opened for it.
 * Compiled functions stay: who asks first after a rest would wait until they are compiled again.
 * Heaps of other threads are left alone: one that ends while it is asked takes the process along (Node 24.21).
 */
export async function collectGarbage(): Promise<void> {
  // Not every Node has it: who asks has looked before.
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  setFlagsFromString('--no-flush-bytecode');
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    setFlagsFromString('--flush-bytecode');
    session.disconnect();
  }
}
