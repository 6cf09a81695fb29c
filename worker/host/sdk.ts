import { createServer } from 'node:net';
import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { sdkLog } from './log.ts';

let installed: Promise<string | undefined> | undefined;

/**
 * Prepares the SDK's native half, once a process: its log lines become ours, and its metrics are told at the address
 * that this answers, unless nobody wants them. Signals are ours to handle.
 */
export function installSdk(log: Logger, { metrics = true } = {}): Promise<string | undefined> {
  installed ??= install(log, metrics);
  return installed;
}

async function install(log: Logger, metrics: boolean): Promise<string | undefined> {
  const options = { logger: sdkLog(log), shutdownSignals: [] };
  const logging = { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } as const;
  if (!metrics) {
    Runtime.install({ ...options, telemetryOptions: { logging } });
    return undefined;
  }
  const bindAddress = `127.0.0.1:${await freePort()}`;
  try {
    Runtime.install({ ...options, telemetryOptions: { logging, metrics: { prometheus: { bindAddress } } } });
    return `http://${bindAddress}/metrics`;
  } catch (error) {
    // Somebody was faster to take the port. The worker matters more than the SDK's metrics.
    log.warn({ err: error }, "The SDK's metrics are not available");
    Runtime.install({ ...options, telemetryOptions: { logging } });
    return undefined;
  }
}

/** The SDK cannot pick a port by itself. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
