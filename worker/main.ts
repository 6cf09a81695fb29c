import { NewerSchema } from '../db/migrations/schema-state.ts';
import { readSettings, SettingsError } from '../domain/settings/settings.ts';
import { SocketTaken } from '../machine/listen-on-socket.ts';
import { runProcess } from '../machine/run-process.ts';
import { PortTaken } from './host/http.ts';
import { openLog } from './host/log.ts';
import { type HandedOver, runWorker } from './host/run.ts';

/** The worker as a process. */
export function main(handed: HandedOver = { sockets: [], onReady: () => {} }): Promise<void> {
  return runProcess({
    work: async (signal) => {
      const settings = readSettings(process.env);
      await runWorker({ settings, handed, log: openLog(settings.LOG_LEVEL), signal });
    },
    foreseen: [SettingsError, NewerSchema, PortTaken, SocketTaken],
    // Activities that still run by then run again in another worker.
    longestShutdown: 8_700,
  });
}

if (import.meta.main) await main();
