import type { Logger as SdkLogger } from '@temporalio/worker';
import { type Logger, pino } from 'pino';
import { redaction } from '../../domain/redaction.ts';

export function openLog(level: string): Logger {
  return pino({
    level,
    base: { process: 'worker', pid: process.pid },
    redact: redaction,
  });
}

/** Log lines of Temporal's SDK and of actors, in our format: the interceptors have added actor and request id. */
export function sdkLog(log: Logger): SdkLogger {
  const say = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, more?: object) => {
    const { error, ...line }: { error?: unknown } = more ?? {};
    log[level](error === undefined ? line : { ...line, err: error }, message);
  };
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
  return {
    log: (level, message, more) => say(levels[level])(message, more),
    trace: say('trace'),
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
  };
}
