import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  address,
  bucketName,
  domains,
  duration,
  hostAndPort,
  keyPrefix,
  oneOf,
  optional,
  origin,
  path,
  pathOrHttps,
  ranges,
  type Setting,
  setting,
  text,
  url,
  wholeNumber,
  yesOrNo,
} from './setting.ts';

const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Every setting there is. `ballast help` and the table in docs/operating.md are made from this. */
export const settingsTable = {
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
  REGISTRY_DIRECTORY: setting(
    'Directory of the images that were pushed.',
    path,
    (above) => join(String(above.BALLAST_HOME), 'registry'),
    { shown: 'registry in the home', example: '/var/lib/ballast/registry' },
  ),
  REGISTRY_S3_BUCKET: optional(
    'Bucket (S3) of the images that were pushed, instead of REGISTRY_DIRECTORY: for API processes on several machines.',
    bucketName,
  ),
  REGISTRY_S3_ENDPOINT: optional('Endpoint of that bucket, if it is not with AWS.', origin, {
    example: 'https://minio.internal:9000',
  }),
  REGISTRY_S3_REGION: setting('Region of that bucket.', text, 'us-east-1', { example: 'eu-central-1' }),
  REGISTRY_S3_PREFIX: setting('Beginning of all keys in that bucket; none if unset.', keyPrefix, ''),
  REGISTRY_S3_PATH_STYLE: setting(
    "Whether the bucket is in the path of addresses, not in the host's name.",
    yesOrNo,
    (above) => above.REGISTRY_S3_ENDPOINT !== undefined,
    { shown: 'true if REGISTRY_S3_ENDPOINT is set' },
  ),
  REGISTRY_S3_ACCESS_KEY_ID: optional('Access key id for that bucket.', text),
  REGISTRY_S3_SECRET_ACCESS_KEY: optional('Secret access key for that bucket.', text, { secret: true }),
  BALLAST_URL: optional('Control plane that `ballast cluster …` connects to; PUBLIC_URL if unset.', origin, {
    example: 'https://ballast.example.com',
  }),
  BALLAST_TOKEN: optional('API token that `ballast cluster …` authenticates with.', text, { secret: true }),
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

  OIDC_ISSUER: optional('OpenID provider that people sign in with.', url('https', 'http'), {
    example: 'https://accounts.example.com',
  }),
  OIDC_CLIENT_ID: optional('Client id at that provider.', text),
  OIDC_CLIENT_SECRET: optional('Client secret at that provider.', text, { secret: true }),
  OIDC_SCOPES: setting('Scopes requested from that provider.', text, 'openid profile email', {
    example: 'openid profile email groups',
  }),
  OIDC_PROVIDER_NAME: setting(
    'Name of the provider on the sign-in page.',
    text,
    (above) => (above.OIDC_ISSUER === undefined ? 'Ballast' : new URL(String(above.OIDC_ISSUER)).hostname),
    { example: 'Acme Login', shown: 'the host of OIDC_ISSUER' },
  ),
  BUILT_IN_PROVIDER_SOCKET: optional(
    'Unix socket of the built-in OpenID provider (`ballast identity`), if OIDC_ISSUER names no other; in a directory that nobody else can enter. Set by `ballast up`.',
    path,
    { example: '/run/ballast/identity.sock' },
  ),
  BUILT_IN_PROVIDER_URL: optional(
    'Address of the built-in OpenID provider instead of its socket: https, or http on this machine.',
    url('https', 'http'),
    { example: 'https://identity.internal' },
  ),
  SIGN_IN_EMAIL_DOMAINS: setting<readonly string[]>(
    'Domains whose verified e-mail addresses may sign in without an invitation; none: invited people only.',
    domains,
    [],
  ),
  ORGANIZATION_CREATORS: setting(
    'Who may create organizations: owners of the first organization, or everyone who can sign in.',
    oneOf('owners', 'everyone'),
    'owners',
  ),
  SESSION_LIFETIME: setting('How long a session lasts at most.', duration(60_000, 31_536_000_000), 2_592_000_000, {
    shown: '30d',
    example: '30d',
  }),
  SESSION_IDLE: setting('How long a session lasts without a request.', duration(300_000, 31_536_000_000), 604_800_000, {
    shown: '7d',
    example: '7d',
  }),
  INVITATION_LIFETIME: setting(
    'How long an invitation can be accepted.',
    duration(60_000, 7_776_000_000),
    604_800_000,
    {
      shown: '7d',
      example: '7d',
    },
  ),
  OUTBOUND_ALLOWED_RANGES: setting<readonly string[]>(
    'Private addresses that user-supplied addresses may resolve to.',
    ranges,
    [],
  ),

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

  LOCAL_CLUSTER: setting('Whether `ballast up` runs a cluster on this machine, with its agent.', yesOrNo, true),
  LOCAL_DRIVER: setting(
    'Driver of instances on this machine; auto selects Docker if its engine responds.',
    oneOf('auto', 'process', 'docker'),
    'auto',
  ),
  LOCAL_DOCKER_SOCKET: setting(
    "The Docker engine's socket, for the cluster on this machine.",
    path,
    '/var/run/docker.sock',
    {
      example: '/run/user/1000/docker.sock',
    },
  ),
  INGRESS_PORT: setting(
    'Port at which the local cluster serves applications; 0 picks a free one.',
    wholeNumber(0, 65_535),
    8089,
    { example: '8089' },
  ),
  INGRESS_LISTEN: setting('Address that INGRESS_PORT listens on.', address, '127.0.0.1'),
  INGRESS_DOMAIN: setting('Parent domain of the host names of applications.', text, 'localhost', {
    example: 'apps.example.com',
  }),

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
  ORGANIZATIONS_PER_OWNER: setting('Organizations that one person may own.', wholeNumber(1, 100_000), 50),
  PROJECTS_PER_ORGANIZATION: setting('Projects that an organization may have.', wholeNumber(1, 100_000), 500),
  ENVIRONMENTS_PER_PROJECT: setting('Environments that a project may have.', wholeNumber(1, 10_000), 50),
  SERVICES_PER_PROJECT: setting('Services that a project may have.', wholeNumber(1, 10_000), 500),
  PROCESSES_PER_SERVICE: setting('Processes that a service may have.', wholeNumber(1, 50), 20),
  TEAMS_PER_ORGANIZATION: setting('Teams that an organization may have.', wholeNumber(1, 100_000), 500),
  TOKENS_PER_ORGANIZATION: setting(
    'Active API tokens that an organization may have, those of CI jobs included.',
    wholeNumber(1, 1_000_000),
    2000,
  ),
  INVITATIONS_PER_ORGANIZATION: setting(
    'Pending invitations that an organization may have.',
    wholeNumber(1, 100_000),
    500,
  ),
  TRUSTED_ISSUERS_PER_ORGANIZATION: setting(
    'Trusted issuers that an organization may have.',
    wholeNumber(1, 10_000),
    100,
  ),
  REGISTRY_BYTES_PER_BLOB: setting(
    'Largest layer of an image in the registry, in bytes.',
    wholeNumber(1_048_576, 1_000_000_000_000),
    10_737_418_240,
    { example: '10737418240' },
  ),
  REGISTRY_BYTES_PER_ORGANIZATION: setting(
    'Bytes of images that an organization may keep in the registry.',
    wholeNumber(1_048_576, 100_000_000_000_000),
    107_374_182_400,
    { example: '107374182400' },
  ),
  REGISTRY_UPLOADS_PER_ORGANIZATION: setting(
    'Uploads to the registry that an organization may have begun at once.',
    wholeNumber(1, 10_000),
    200,
    { example: '200' },
  ),
  REGISTRY_MANIFESTS_PER_REPOSITORY: setting(
    'Images, and tags, that one repository of the registry may have.',
    wholeNumber(1, 1_000_000),
    10_000,
    { example: '10000' },
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

export type SettingName = keyof typeof settingsTable;
export type Settings = {
  readonly [Name in SettingName]: (typeof settingsTable)[Name] extends Setting<infer T> ? T : never;
};

export function wantsTls(above: Readonly<Record<string, unknown>>): boolean {
  return ['TEMPORAL_API_KEY', 'TEMPORAL_TLS_CA_FILE', 'TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_SERVER_NAME'].some(
    (name) => above[name] !== undefined,
  );
}

function publicUrl(above: Readonly<Record<string, unknown>>): string {
  const listen = String(above.LISTEN);
  // A name and not an address: browsers bind passkeys to names only.
  if (['127.0.0.1', '::1', '0.0.0.0', '::'].includes(listen)) return `http://localhost:${above.PORT}`;
  return `http://${listen.includes(':') ? `[${listen}]` : listen}:${above.PORT}`;
}
