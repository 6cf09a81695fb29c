import { readSettings, SettingsError } from '../domain/settings/settings.ts';
import { openLog } from './host/log.ts';
import { SchemaTooNew } from './host/ready.ts';
import { type HandedOver, runWorker } from './host/run.ts';

/** Whatever is still going on by then will be done again by another worker: that is what actors are for. */
const longestShutdown = 8_700;

/** The worker as a process: ends with 0 when it is asked to, with 1 and a sentence when it cannot do its work. */
export async function main(handed: HandedOver = { sockets: [], onReady: () => {} }): Promise<void> {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
    setTimeout(() => process.exit(0), longestShutdown).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  try {
    const settings = readSettings(process.env);
    await runWorker({ settings, handed, log: openLog(settings.LOG_LEVEL), signal: stopping.signal });
  } catch (error) {
    if (!stopping.signal.aborted) fail(error);
  }
  // The SDK's native half may hold the process open.
  process.exit();
}

function fail(error: unknown): void {
  process.exitCode = 1;
  const expected = error instanceof SettingsError || error instanceof SchemaTooNew || busy(error);
  const text = error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
}

function busy(error: unknown): boolean {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  if (taken) error.message = 'WORKER_PORT is taken by another program; choose another, or 0 for a free one.';
  return taken;
}

if (import.meta.main) await main();
