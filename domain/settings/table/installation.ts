import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  address,
  httpsBase,
  oneOf,
  optional,
  origin,
  path,
  ranges,
  type Setting,
  setting,
  url,
  wholeNumber,
} from '../setting.ts';

const checkout = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** Where the control plane listens, is reached, keeps its data and writes what it does. */
export const installationSettings = {
  PORT: setting('Port of the API and the console; 0 picks a free one.', wholeNumber(0, 65_535), 8088, {
    example: '8088',
  }),
  LISTEN: setting(
    'Address that PORT listens on; any address but loopback requires an https PUBLIC_URL.',
    address,
    '127.0.0.1',
  ),
  PUBLIC_URL: setting('Address under which people reach the installation.', origin, publicUrl, {
    shown: 'http://localhost:PORT',
  }),
  API_SOCKET: optional(
    'Unix socket that the API listens on besides PORT, in a directory that only its user can enter. Set by `ballast up` for the agent of this machine.',
    path,
    { example: '/var/lib/ballast/run/api.sock' },
  ),
  TRUSTED_PROXIES: setting<readonly string[]>(
    'Proxies whose X-Forwarded-For is trusted, by the API and by the ingress of the local cluster.',
    ranges,
    [],
  ),
  BALLAST_HOME: setting('Directory of all data, keys and logs.', path, join(checkout, '.ballast'), {
    example: '/var/lib/ballast',
    shown: '.ballast in the checkout',
  }),
  KEYS_FILE: setting(
    'File of the key-encryption keys. Together with the database, this file decrypts every secret.',
    path,
    (above) => join(String(above.BALLAST_HOME), 'keys', 'key-encryption-keys.json'),
    { shown: 'keys/key-encryption-keys.json in the home' },
  ),
  LOG_LEVEL: setting('Lowest level that is logged.', oneOf('trace', 'debug', 'info', 'warn', 'error'), 'info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'Endpoint for traces (OTLP over HTTP); tracing is off if unset.',
    url('http', 'https'),
    {
      example: 'http://127.0.0.1:4318',
    },
  ),
  OUTBOUND_ALLOWED_RANGES: setting<readonly string[]>(
    'Private addresses that user-supplied addresses may resolve to.',
    ranges,
    [],
  ),
  OUTBOUND_CA_FILE: optional(
    'Certificate authorities (PEM) that are trusted at user-supplied addresses besides the public ones.',
    path,
  ),
  NOTIFICATION_PAGER_URL: setting(
    'Address that events of paging channels are sent to: PagerDuty or what takes its Events API v2.',
    httpsBase,
    'https://events.pagerduty.com',
  ),
} as const satisfies Record<string, Setting<unknown>>;

function publicUrl(above: Readonly<Record<string, unknown>>): string {
  const listen = String(above.LISTEN);
  // A name and not an address: browsers bind passkeys to names only.
  if (['127.0.0.1', '::1', '0.0.0.0', '::'].includes(listen)) return `http://localhost:${above.PORT}`;
  return `http://${listen.includes(':') ? `[${listen}]` : listen}:${above.PORT}`;
}
