import {
  hostAndPort,
  optional,
  path,
  pathOrHttps,
  type Setting,
  setting,
  text,
  url,
  wholeNumber,
  yesOrNo,
} from '../setting.ts';

/** PostgreSQL and Temporal: the embedded ones, or others. */
export const databaseAndTemporalSettings = {
  DATABASE_URL: optional('PostgreSQL 15 or newer to use instead of the embedded one.', url('postgresql', 'postgres'), {
    secret: true,
    example: 'postgresql://user:password@host:5432/ballast',
  }),
  DATABASE_POOL: setting('Maximum number of connections of one process to PostgreSQL.', wholeNumber(2, 500), 16),
  TEMPORAL_ADDRESS: optional('Temporal to use instead of the embedded one.', hostAndPort),
  TEMPORAL_NAMESPACE: setting('Namespace in Temporal.', text, 'ballast', { example: 'ballast' }),
  TEMPORAL_API_KEY: optional('Key for Temporal Cloud.', text, { secret: true }),
  TEMPORAL_TLS_CA_FILE: optional(
    "Certificate authorities (PEM) for Temporal's certificate, if not the public ones.",
    path,
  ),
  TEMPORAL_TLS_CERT_FILE: optional('Client certificate (PEM) for Temporal.', path),
  TEMPORAL_TLS_KEY_FILE: optional('Key (PEM) of that certificate.', path),
  TEMPORAL_TLS_SERVER_NAME: optional("Server name in Temporal's certificate, if not its host.", text),
  TEMPORAL_TLS: setting('Whether connections to Temporal use TLS.', yesOrNo, wantsTls, {
    shown: 'true if one of the TEMPORAL_TLS_ settings or TEMPORAL_API_KEY is set',
  }),
  TEMPORAL_SERVER: optional(
    'A temporal-server of the right version to run instead of the one that is found, downloaded or built; temporal-sql-tool must lie beside it.',
    path,
    { example: '/usr/local/bin/temporal-server' },
  ),
  TEMPORAL_ARCHIVE: optional(
    'Release archive of the Temporal server to use instead of the official one: a file, or an https address with checksums.txt beside it; #sha256=… behind either is the digest that it must have.',
    pathOrHttps,
    { example: 'https://mirror.example.com/temporal_1.31.2_linux_amd64.tar.gz' },
  ),
} as const satisfies Record<string, Setting<unknown>>;

export function wantsTls(above: Readonly<Record<string, unknown>>): boolean {
  return ['TEMPORAL_API_KEY', 'TEMPORAL_TLS_CA_FILE', 'TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_SERVER_NAME'].some(
    (name) => above[name] !== undefined,
  );
}
