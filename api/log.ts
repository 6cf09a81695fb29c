import { type Logger, pino } from 'pino';

/** Names under which a secret might be logged by accident; none is logged on purpose. */
const secrets = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', 'key', 'parameters', 'detail'];

export function openLog(level: string): Logger {
  return pino({
    level,
    base: { process: 'api', pid: process.pid },
    redact: { paths: secrets.flatMap((name) => [`*.${name}`, `*.*.${name}`]), censor: '[secret]' },
  });
}
