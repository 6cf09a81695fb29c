import { readFile } from 'node:fs/promises';
import { inject } from 'vitest';
import type { TemporalAddress } from '../../temporal/connection/connect.ts';

/** The Temporal that tests stand on, which demands a certificate. `through`: the address of a proxy before it. */
export async function groundTemporal(namespace: string, through?: string): Promise<TemporalAddress> {
  const { address, tls } = inject('ground').temporal;
  const [ca, cert, key] = await Promise.all([tls.caFile, tls.certFile, tls.keyFile].map((file) => readFile(file)));
  if (!ca || !cert || !key) throw new Error('A certificate is missing.');
  return { address: through ?? address, namespace, tls: { ca, cert, key, serverName: tls.serverName } };
}

/** The same as the settings of a process. */
export function groundTemporalSettings(namespace: string, through?: string): Record<string, string> {
  const { address, tls } = inject('ground').temporal;
  return {
    TEMPORAL_ADDRESS: through ?? address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TLS_CA_FILE: tls.caFile,
    TEMPORAL_TLS_CERT_FILE: tls.certFile,
    TEMPORAL_TLS_KEY_FILE: tls.keyFile,
    TEMPORAL_TLS_SERVER_NAME: tls.serverName,
  };
}
