import type { Settings } from '../../domain/settings/settings.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import { temporalAddress } from '../../temporal/connection/settings.ts';

/** Makes the namespace ready and answers its id. */
export async function readyNamespace(settings: Settings, signal: AbortSignal): Promise<string> {
  const temporal = connectTemporal({ ...(await temporalAddress(settings)), keys: noKeys });
  try {
    return await prepareNamespace(temporal, signal);
  } finally {
    await temporal.close();
  }
}

/** No payload passes through this connection, so it has no business with the keys. */
export const noKeys = {
  current: () => Promise.reject(new Error('Preparing a namespace encrypts nothing.')),
  byId: () => Promise.reject(new Error('Preparing a namespace decrypts nothing.')),
};
