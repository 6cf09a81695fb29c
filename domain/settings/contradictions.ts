import type { Settings } from './settings-table.ts';
import { wantsTls } from './table/database-and-temporal.ts';

/** Why settings that are right one by one cannot be meant together: a sentence, if there is a reason. */
export function contradictionOf(settings: Settings): string | undefined {
  const { TEMPORAL_TLS_CERT_FILE: cert, TEMPORAL_TLS_KEY_FILE: key } = settings;
  if ((cert === undefined) !== (key === undefined)) {
    const [present, absent] = cert ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
    return `TEMPORAL_TLS_${present}_FILE is set without TEMPORAL_TLS_${absent}_FILE; set both or none.`;
  }
  if (!settings.TEMPORAL_TLS && wantsTls(settings)) {
    return 'TEMPORAL_TLS is false while TEMPORAL_API_KEY or a TEMPORAL_TLS_ setting wants TLS; remove one of them.';
  }
  if (settings.WORKER_METRICS_URL !== undefined && !staysPrivate(settings.WORKER_METRICS_URL)) {
    return 'WORKER_METRICS_URL is an http address on another machine, and the token for /metrics, which is sent there, can be read on the way; use https.';
  }
  const unsafe = unsafeProvider(settings);
  if (unsafe !== undefined) return unsafe;
  if (!isLoopback(settings.LISTEN) && !settings.PUBLIC_URL.startsWith('https:')) {
    return `LISTEN=${settings.LISTEN} can be reached from other machines, and PUBLIC_URL is ${settings.PUBLIC_URL}: passwords and tokens would cross the network in clear. Set PUBLIC_URL to an https address (of a proxy in front), or leave LISTEN at 127.0.0.1.`;
  }
  if (settings.OIDC_ISSUER !== undefined && settings.OIDC_CLIENT_ID === undefined) {
    return 'OIDC_ISSUER is set without OIDC_CLIENT_ID; set the client id that the provider gave you.';
  }
  return wrongBucket(settings);
}

/** An object has at most 10,000 parts, and chunks of clients may make them as small as S3 lets them be. */
const mostBytesInBucket = 10_000 * 5 * 1024 * 1024;

function wrongBucket(settings: Settings): string | undefined {
  const { REGISTRY_S3_BUCKET: bucket, REGISTRY_BYTES_PER_BLOB: most } = settings;
  const keys = ['REGISTRY_S3_ACCESS_KEY_ID', 'REGISTRY_S3_SECRET_ACCESS_KEY'] as const;
  if (bucket === undefined) {
    const alone = (['REGISTRY_S3_ENDPOINT', ...keys] as const).find((name) => settings[name] !== undefined);
    return alone && `${alone} is set without REGISTRY_S3_BUCKET; name the bucket, or unset it.`;
  }
  const missing = keys.find((name) => settings[name] === undefined);
  if (missing !== undefined) return `REGISTRY_S3_BUCKET is set without ${missing}; set the access key for the bucket.`;
  if (most <= mostBytesInBucket) return undefined;
  return `REGISTRY_BYTES_PER_BLOB is ${most}: in a bucket a layer may have at most ${mostBytesInBucket} bytes; set a lower limit.`;
}

/** Passwords travel there. */
function unsafeProvider({ BUILT_IN_PROVIDER_URL: url, BUILT_IN_PROVIDER_SOCKET: socket }: Settings) {
  if (url === undefined) return undefined;
  if (socket !== undefined) {
    return 'BUILT_IN_PROVIDER_SOCKET and BUILT_IN_PROVIDER_URL are both set; unset one of them.';
  }
  if (staysPrivate(url)) return undefined;
  return 'BUILT_IN_PROVIDER_URL is an http address on another machine, where passwords can be read on the way; use https.';
}

/** Whether nobody can read on the way what is sent to this address. */
function staysPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.');
}
