import { type Logger, pino } from 'pino';
import { redaction } from '../../domain/redaction.ts';

export function openLog(level: string): Logger {
  const options = { level, base: { process: 'identity', pid: process.pid }, redact: redaction };
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 100 }));
}
