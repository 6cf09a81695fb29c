import { join } from 'node:path';
import type { Settings } from '../domain/settings/settings.ts';
import { certificateFiles, serverName } from './home/certificates.ts';
import type { Home } from './home/home.ts';
import { postgresUrl } from './postgres/postgres-address.ts';
import { socketDirectory } from './sockets/socket-directory.ts';
import { Refusal } from './supervisor/refusal.ts';

/**
 * The settings that lead to the embedded parts of a home, for those that were left open. They are handed to the API and
 * the worker as environment variables, like those of any other deployment.
 */
export function embeddedSettings(home: Home, settings: Settings): Record<string, string> {
  return {
    ...(settings.DATABASE_URL === undefined ? { DATABASE_URL: postgresUrl(home, 'ballast') } : {}),
    ...(settings.TEMPORAL_ADDRESS === undefined ? embeddedTemporal(home) : {}),
    ...(embedsProvider(settings) ? embeddedProvider(home) : {}),
  };
}

/** Whether people sign in with the built-in provider of this home: unless they have another, or run it elsewhere. */
export function embedsProvider(settings: Settings): boolean {
  const { OIDC_ISSUER, BUILT_IN_PROVIDER_URL, BUILT_IN_PROVIDER_SOCKET } = settings;
  return [OIDC_ISSUER, BUILT_IN_PROVIDER_URL, BUILT_IN_PROVIDER_SOCKET].every((one) => one === undefined);
}

function embeddedProvider(home: Home): Record<string, string> {
  const directory = socketDirectory(home, 'own');
  // A home of an older version has no directory of sockets before its next start.
  return directory === undefined ? {} : { BUILT_IN_PROVIDER_SOCKET: join(directory, 'identity.sock') };
}

function embeddedTemporal(home: Home): Record<string, string> {
  const port = home.record.ports.temporal;
  if (port === undefined) throw new Refusal(`Temporal was never started in ${home.path}; run \`./ballast up\` first.`);
  const { ca, clientCert, clientKey } = certificateFiles(home);
  return {
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_CA_FILE: ca,
    TEMPORAL_TLS_CERT_FILE: clientCert,
    TEMPORAL_TLS_KEY_FILE: clientKey,
    TEMPORAL_TLS_SERVER_NAME: serverName,
  };
}
