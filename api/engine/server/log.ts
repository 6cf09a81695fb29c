import { type Logger, pino } from 'pino';
import { redaction } from '../../../domain/redaction.ts';

/**
 * Lines are gathered and written together, at the latest after a tenth of a second and at the end of the process: a write
 * for each request would be a tenth of what the request costs.
 */
const gathered = { dest: 1, sync: false, minLength: 8_192, periodicFlush: 100 };

export function openLog(level: string): Logger {
  const options = {
    level,
    base: { process: 'api', pid: process.pid },
    redact: redaction,
  };
  return pino(options, pino.destination(gathered));
}
