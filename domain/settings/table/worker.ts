import { join } from 'node:path';
import { optional, path, type Setting, setting, url, wholeNumber } from '../setting.ts';

/** Of workers, and of the metrics that they and the API tell. */
export const workerSettings = {
  WORKER_PORT: setting(
    'Port on 127.0.0.1 for health and metrics of a worker; 0 picks a free one.',
    wholeNumber(0, 65_535),
    0,
    {
      example: '9464',
    },
  ),
  WORKER_SOCKET: optional(
    'Unix socket that a worker listens on besides WORKER_PORT, where the API reads the metrics that it adds to its own; in a directory that only its user can enter. Set by `ballast up`.',
    path,
    { example: '/run/ballast/worker.sock' },
  ),
  METRICS_TOKEN_FILE: setting(
    'File with the token for /metrics of the API and of workers; created at the first start if its directory exists.',
    path,
    (above) => join(String(above.BALLAST_HOME), 'keys', 'metrics-token'),
    { shown: 'keys/metrics-token in the home' },
  ),
  WORKER_METRICS_URL: optional(
    'Metrics of a worker that the API adds to its own /metrics instead of those at WORKER_SOCKET; https, or http on this machine, since the token for /metrics is sent there.',
    url('https', 'http'),
    { example: 'http://127.0.0.1:9464/metrics' },
  ),
  ACTOR_CONCURRENCY: setting('Maximum number of activities that one worker runs at once.', wholeNumber(1, 1000), 40, {
    example: '40',
  }),
} as const satisfies Record<string, Setting<unknown>>;
