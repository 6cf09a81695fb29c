import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenPaths, readSettings, required, SettingsError, settingsTable } from './settings.ts';

test('without any variable every setting has its default', () => {
  const settings = readSettings({});
  expect(settings).toMatchObject({
    PORT: 8088,
    LISTEN: '127.0.0.1',
    PUBLIC_URL: 'http://localhost:8088',
    TRUSTED_PROXIES: [],
    TEMPORAL_NAMESPACE: 'ballast',
    TEMPORAL_TLS: false,
    REQUEST_TIMEOUT: 30_000,
    MAX_BODY_BYTES: 1_048_576,
  });
  expect(settings.DATABASE_URL).toBeUndefined();
  expect(settings.BALLAST_HOME).toMatch(/\/\.ballast$/);
  expect(settings.KEYS_FILE.startsWith(settings.BALLAST_HOME)).toBe(true);
});

test('an empty variable counts as absent', () => {
  expect(readSettings({ PORT: '', LOG_LEVEL: ' ' })).toMatchObject({ PORT: 8088, LOG_LEVEL: 'info' });
});

test('each example of the table is a value that the setting takes', () => {
  for (const [name, setting] of Object.entries(settingsTable)) {
    expect(setting.parse(setting.example), `${name}=${setting.example}`).toBeDefined();
  }
});

test.each([
  ['PORT', '80a'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['LISTEN', 'localhost'],
  ['PUBLIC_URL', 'https://ballast.example.com/console'],
  ['PUBLIC_URL', 'ballast.example.com'],
  ['REQUEST_TIMEOUT', '30'],
  ['REQUEST_TIMEOUT', '2d'],
  ['TRUSTED_PROXIES', '10.0.0.0/8,proxy'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TEMPORAL_ADDRESS', 'temporal'],
  ['TEMPORAL_ADDRESS', 'https://temporal:7233'],
  ['LOG_LEVEL', 'loud'],
  ['TEMPORAL_TLS', 'yes'],
  ['BALLAST_HOME', 'a\u0000b'],
  ['NOTIFICATION_PAGER_URL', 'http://events.pagerduty.com'],
  ['NOTIFICATION_PAGER_URL', 'https://key@events.pagerduty.com'],
  ['NOTIFICATION_PAGER_URL', 'https://events.pagerduty.com/?region=eu'],
  ['REGISTRY_S3_BUCKET', 'Acme Images'],
  ['REGISTRY_S3_ENDPOINT', 'https://key:secret@minio:9000/images'],
])('%s=%s is refused by a sentence that names the setting and shows an example', (name, value) => {
  const read = () => readSettings({ [name]: value });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(new RegExp(`^${name} is .+: it must be .+ \\(for example ${name}=.+\\)\\.$`));
});

test('a secret is not repeated in the sentence that refuses it', () => {
  const read = () => readSettings({ DATABASE_URL: 'mysql://app:hunter2@db/ballast' });
  expect(read).toThrow(/^DATABASE_URL cannot be read: it must be a URL that begins with postgresql:/);
  expect(read).not.toThrow(/hunter2/);
});

test('durations and lists are read into what the program uses', () => {
  const settings = readSettings({ REQUEST_TIMEOUT: '5m', TRUSTED_PROXIES: '10.0.0.0/8, ::1' });
  expect(settings.REQUEST_TIMEOUT).toBe(300_000);
  expect(settings.TRUSTED_PROXIES).toEqual(['10.0.0.0/8', '::1']);
});

test('events of paging channels go to PagerDuty, or to an address to which paths are appended', () => {
  const pager = (NOTIFICATION_PAGER_URL?: string) => readSettings({ NOTIFICATION_PAGER_URL }).NOTIFICATION_PAGER_URL;
  expect(pager()).toBe('https://events.pagerduty.com');
  expect(pager('https://events.eu.pagerduty.com/')).toBe('https://events.eu.pagerduty.com');
  expect(pager('https://relay.example/pager/')).toBe('https://relay.example/pager');
});

test('the public address follows where we listen', () => {
  expect(readSettings({ LISTEN: '::1' }).PUBLIC_URL).toBe('http://localhost:8088');
});

test.each(['0.0.0.0', '::', '192.0.2.1', '2001:db8::1'])('LISTEN=%s wants an https PUBLIC_URL', (LISTEN) => {
  expect(() => readSettings({ LISTEN })).toThrow(/^LISTEN=.+ in clear\. Set PUBLIC_URL to an https address/);
  expect(() => readSettings({ LISTEN, PUBLIC_URL: 'http://ballast.example.com' })).toThrow(SettingsError);
  expect(readSettings({ LISTEN, PUBLIC_URL: 'https://ballast.example.com' }).LISTEN).toBe(LISTEN);
});

test('TLS to Temporal is on as soon as something wants it, and contradictions are refused', () => {
  expect(readSettings({ TEMPORAL_API_KEY: 'k' }).TEMPORAL_TLS).toBe(true);
  expect(() => readSettings({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' })).toThrow(/TEMPORAL_TLS is false/);
  expect(() => readSettings({ TEMPORAL_TLS_KEY_FILE: '/k' })).toThrow(/without TEMPORAL_TLS_CERT_FILE/);
  expect(() => readSettings({ OIDC_ISSUER: 'https://id.example.com' })).toThrow(/without OIDC_CLIENT_ID/);
});

test('a bucket is set as a whole, and its secret is not repeated', () => {
  const bucket = {
    REGISTRY_S3_BUCKET: 'images',
    REGISTRY_S3_ACCESS_KEY_ID: 'id',
    REGISTRY_S3_SECRET_ACCESS_KEY: 'hunter2',
  };
  expect(readSettings(bucket)).toMatchObject({ REGISTRY_S3_REGION: 'us-east-1', REGISTRY_S3_PATH_STYLE: false });
  const elsewhere = readSettings({ ...bucket, REGISTRY_S3_ENDPOINT: 'http://10.0.0.7:9000' });
  expect(elsewhere.REGISTRY_S3_PATH_STYLE).toBe(true);
  const wrong = (change: Record<string, string>) => () => readSettings({ ...bucket, ...change });
  expect(wrong({ REGISTRY_S3_BUCKET: '' })).toThrow(/REGISTRY_S3_ACCESS_KEY_ID is set without REGISTRY_S3_BUCKET/);
  expect(wrong({ REGISTRY_S3_SECRET_ACCESS_KEY: '' })).toThrow(/is set without REGISTRY_S3_SECRET_ACCESS_KEY/);
  expect(wrong({ REGISTRY_BYTES_PER_BLOB: '1000000000000' })).toThrow(/at most 52428800000 bytes/);
  expect(wrong({ REGISTRY_S3_SECRET_ACCESS_KEY: 'hunter2\u0000' })).toThrow(
    /^REGISTRY_S3_SECRET_ACCESS_KEY cannot be read/,
  );
  expect(wrong({ REGISTRY_S3_SECRET_ACCESS_KEY: 'hunter2\u0000' })).not.toThrow(/hunter2/);
  for (const prefix of ['../up', '/images', 'a//b']) {
    expect(wrong({ REGISTRY_S3_PREFIX: prefix })).toThrow(/^REGISTRY_S3_PREFIX is/);
  }
});

test('the token for /metrics is never sent in clear to another machine', () => {
  const asked = (WORKER_METRICS_URL: string) => () => readSettings({ WORKER_METRICS_URL });
  expect(asked('http://10.0.0.7:9464/metrics')).toThrow(/WORKER_METRICS_URL is an http address on another machine/);
  for (const url of ['http://127.0.0.1:9464/metrics', 'https://worker.example.com/metrics'])
    expect(asked(url)).not.toThrow();
});

test('paths are handed on as they are meant where they are given', () => {
  const given = { OUTBOUND_CA_FILE: 'ca.pem', TEMPORAL_TLS_CA_FILE: ' /etc/ca.pem ', KEYS_FILE: '', PORT: '1' };
  expect(givenPaths(given)).toEqual({
    OUTBOUND_CA_FILE: join(process.cwd(), 'ca.pem'),
    TEMPORAL_TLS_CA_FILE: '/etc/ca.pem',
  });
});

test('a misspelt setting is refused, a foreign variable is not', () => {
  expect(() => readSettings({ TEMPORAL_ADRESS: 'a:1' })).toThrow('did you mean TEMPORAL_ADDRESS?');
  expect(() => readSettings({ BALLAST_HOEM: '/tmp/x' })).toThrow('did you mean BALLAST_HOME?');
  expect(readSettings({ BALLAST_SERVICE_HOST: '10.0.0.1', BALLAST_PORT: 'tcp://10.0.0.1:80', PORTS: '1' }).PORT).toBe(
    8088,
  );
});

test('what a process cannot do without is asked for by name', () => {
  expect(() => required(readSettings({}), 'DATABASE_URL')).toThrow(/^DATABASE_URL is not set; set it \(for example/);
  expect(required(readSettings({ TEMPORAL_ADDRESS: 'a:1' }), 'TEMPORAL_ADDRESS')).toBe('a:1');
});
