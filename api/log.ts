import { type Logger, pino } from 'pino';

/** Names under which a secret might be logged by accident; none is logged on purpose. */
const secrets = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', 'key', 'parameters', 'detail'];

/**
 * Lines are gathered and written together, at the latest after a tenth of a second and at the end of the process: a write
 * for each request would be a tenth of what the request costs.
 */
const gathered = { dest: 1, sync: false, minLength: 8_192, periodicFlush: 100 };

export function openLog(level: string): Logger {
  const options = {
    level,
    base: { process: 'api', pid: process.pid },
    redact: { paths: secrets.flatMap((name) => [`*.${name}`, `*.*.${name}`]), censor: '[secret]' },
  };
  return pino(options, pino.destination(gathered));
}
