import { Worker } from 'node:worker_threads';
import { ownProgram } from '../bundle/own-program.ts';
import { lineLog, reason } from './log.ts';

export interface Watched {
  beats: SharedArrayBuffer;
  tickMillis: number;
  /** Ticks without a beat until what holds the thread is said, and until the process is ended. */
  toldAfter: number;
  endedAfter: number;
}

const usual = { tickMillis: 1_000, toldAfter: 10, endedAfter: 120 };

/**
 * Watches this thread from another one. An agent that waits for a file without end, say, answers nobody; the line says what
 * holds it, and the service of the system, or the launcher, starts another one. Instances and journal outlive that.
 */
export function watchLoop(how: Omit<Watched, 'beats'> = usual): { stop(): Promise<unknown> } {
  const beats = new SharedArrayBuffer(4);
  const beating = setInterval(() => void Atomics.add(new Int32Array(beats), 0, 1), how.tickMillis);
  beating.unref();
  const thread = new Worker(ownProgram('watchdog-thread', new URL('./watchdog-thread.ts', import.meta.url)), {
    workerData: { beats, ...how } satisfies Watched,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  thread.unref();
  // A watchdog that fails is no reason for the agent to end: it goes on without one.
  thread.on('error', (error) => lineLog.warn(`Nothing watches the agent any more: ${reason(error)}`));
  return {
    stop() {
      clearInterval(beating);
      return thread.terminate();
    },
  };
}
