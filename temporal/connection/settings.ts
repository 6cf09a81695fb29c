import { readFile } from 'node:fs/promises';
import { required, type Settings, SettingsError } from '../../domain/settings/settings.ts';
import type { TemporalAddress } from './connect.ts';

type FileSetting = 'TEMPORAL_TLS_CA_FILE' | 'TEMPORAL_TLS_CERT_FILE' | 'TEMPORAL_TLS_KEY_FILE';

/** Where Temporal is and how to show who we are, read from the settings and the PEM files that they name. */
export async function temporalAddress(settings: Settings): Promise<TemporalAddress> {
  const address = required(settings, 'TEMPORAL_ADDRESS');
  const namespace = settings.TEMPORAL_NAMESPACE;
  const apiKey = settings.TEMPORAL_API_KEY;
  const more = apiKey === undefined ? {} : { apiKey };
  if (!settings.TEMPORAL_TLS) return { address, namespace, tls: false, ...more };
  const [ca, cert, key] = await Promise.all([
    pem(settings, 'TEMPORAL_TLS_CA_FILE'),
    pem(settings, 'TEMPORAL_TLS_CERT_FILE'),
    pem(settings, 'TEMPORAL_TLS_KEY_FILE'),
  ]);
  const serverName = settings.TEMPORAL_TLS_SERVER_NAME;
  const tls = {
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(serverName === undefined ? {} : { serverName }),
  };
  return { address, namespace, tls, ...more };
}

async function pem(settings: Settings, name: FileSetting): Promise<Buffer | undefined> {
  const path = settings[name];
  if (path === undefined) return undefined;
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError(`${name} names ${path}, which cannot be read (${error.code}); correct it.`);
  });
  if (!content.includes('-----BEGIN ')) throw new SettingsError(`${name} names ${path}, which is not PEM; correct it.`);
  return content;
}
