import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Keyring } from '../../db/keys/keys.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import type { PayloadKeys } from './codec.ts';
import { connectTemporal, type Temporal, type TemporalAddress } from './connect.ts';
import { temporalAddress } from './settings.ts';

export interface OpenTemporal {
  temporal: Temporal;
  address: TemporalAddress;
  keys: PayloadKeys;
}

/** Temporal as the settings say, with payloads encrypted by the installation's keys. Nothing is connected yet. */
export async function openTemporal(
  settings: Settings,
  keyring: Pick<Keyring, 'payloadKey'>,
  interceptors: WorkflowClientInterceptor[] = [],
): Promise<OpenTemporal> {
  const address = await temporalAddress(settings);
  const keys = payloadKeys(keyring);
  return { temporal: connectTemporal({ ...address, keys, interceptors }), address, keys };
}

export function payloadKeys(keyring: Pick<Keyring, 'payloadKey'>): PayloadKeys {
  return {
    current: () => keyring.payloadKey(),
    byId: async (id) => (await keyring.payloadKey(id)).key,
  };
}
