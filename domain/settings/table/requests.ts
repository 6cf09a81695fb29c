import { duration, type Setting, setting, wholeNumber } from '../setting.ts';

/** How large, how long, and how many requests and streams may be. */
export const requestSettings = {
  MAX_BODY_BYTES: setting('Largest body of a request, in bytes.', wholeNumber(1024, 104_857_600), 1_048_576, {
    example: '1048576',
  }),
  RECEIVE_TIMEOUT: setting(
    'Maximum time for a request to arrive before its connection is closed.',
    duration(100, 3_600_000),
    60_000,
    { shown: '60s', example: '60s' },
  ),
  CONNECTIONS_PER_ADDRESS: setting(
    'Connections that one client address may hold; a further one displaces its oldest idle one. Trusted proxies are not counted.',
    wholeNumber(8, 100_000),
    512,
    { example: '512' },
  ),
  REQUEST_TIMEOUT: setting(
    'Maximum time for a request before it is answered with 504.',
    duration(100, 600_000),
    30_000,
    {
      shown: '30s',
    },
  ),
  RATE_LIMIT_PER_MINUTE: setting('Requests a minute with one credential.', wholeNumber(1, 10_000_000), 6000),
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: setting(
    'Requests a minute from one client address without a valid credential.',
    wholeNumber(1, 10_000_000),
    120,
  ),
  STREAMS_PER_CREDENTIAL: setting(
    'Event streams that one credential may hold, the organization stream aside.',
    wholeNumber(1, 1000),
    4,
    {
      example: '4',
    },
  ),
  ORGANIZATION_STREAMS_PER_CREDENTIAL: setting(
    'Organization event streams that one credential may hold.',
    wholeNumber(1, 1000),
    8,
    {
      example: '8',
    },
  ),
  IDEMPOTENCY_KEYS_PER_CREDENTIAL: setting(
    'Idempotency-Keys that are remembered for one credential.',
    wholeNumber(1, 1_000_000),
    20_000,
  ),
  IDEMPOTENCY_HOURS: setting('Hours for which an Idempotency-Key is remembered.', wholeNumber(1, 720), 24, {
    example: '24',
  }),
} as const satisfies Record<string, Setting<unknown>>;
