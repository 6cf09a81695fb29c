import { setTimeout as pause } from 'node:timers/promises';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { dataConverter, type PayloadKeys } from '../../temporal/connection/codec.ts';
import { endpoint, type TemporalAddress } from '../../temporal/connection/connect.ts';
import { taskQueue } from '../../temporal/connection/task-queue.ts';
import { actorInterceptors } from './interceptors.ts';
import type { Tracing } from './tracing.ts';

export interface Hosting {
  address: TemporalAddress;
  keys: PayloadKeys;
  bundle: { code: string };
  activities: object;
  /** Most activities at once. */
  concurrency: number;
  /** Most workflows that are kept between two of their tasks; none: each task replays its workflow from its history. */
  cachedWorkflows?: number | undefined;
  log: Logger;
  tracing?: Tracing | undefined;
  /** Told when actors begin to be served and when they no longer are. */
  onServing?: (serving: boolean) => void;
}

const longestPause = 10_000;
/** An activity that is still at it by then is asked to stop; it will be run again elsewhere. */
const graceMilliseconds = 3_000;
const forceMilliseconds = 8_000;

/** Serves actors and their activities until the signal. The SDK finds a lost Temporal again; should it give up, we do not. */
export async function hostActors(hosting: Hosting, signal: AbortSignal): Promise<void> {
  for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, longestPause)) {
    const began = Date.now();
    try {
      await serve(hosting, signal);
    } catch (error) {
      if (signal.aborted) return;
      hosting.log.error({ err: error, retryInMilliseconds: wait }, 'The Temporal worker stopped; restarting it');
    }
    if (Date.now() - began > 60_000) wait = 250;
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

async function serve(hosting: Hosting, signal: AbortSignal): Promise<void> {
  const { address, log, onServing } = hosting;
  const connection = await NativeConnection.connect(endpoint(address));
  try {
    const worker = await Worker.create({ connection, ...workerOptions(hosting) });
    const stop = (): void => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      const run = worker.run();
      if (signal.aborted) stop();
      log.info({ namespace: address.namespace, taskQueue }, 'The Temporal worker is running');
      onServing?.(true);
      await run;
    } finally {
      signal.removeEventListener('abort', stop);
      onServing?.(false);
    }
  } finally {
    await connection.close().catch(() => undefined);
  }
}

function workerOptions(hosting: Hosting): WorkerOptions {
  // Most workflows wait for days. One that is not kept is replayed when something happens; kept, each takes half a megabyte.
  // With fewer than roll at once, each message replays one: 100 of 100 deployments took a fifth more processor time.
  const { address, keys, bundle, activities, concurrency, cachedWorkflows = 250, tracing } = hosting;
  return {
    namespace: address.namespace,
    taskQueue,
    workflowBundle: bundle,
    activities,
    dataConverter: dataConverter(keys),
    maxConcurrentActivityTaskExecutions: concurrency,
    maxCachedWorkflows: cachedWorkflows,
    shutdownGraceTime: graceMilliseconds,
    shutdownForceTime: forceMilliseconds,
    interceptors: { activity: [actorInterceptors, ...(tracing?.activityInterceptors ?? [])] },
    ...(tracing ? { sinks: tracing.sinks } : {}),
  };
}
