import type { Kysely } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { type Secrets, unsealWorkload } from './sealed-workload.ts';

/** The names of what cannot be delivered to these clusters, because its secrets do not open any more. */
export async function brokenSlices(
  kysely: Kysely<Tables>,
  keyring: Secrets,
  organizationId: string,
  clusterIds: readonly string[],
): Promise<Map<string, string[]>> {
  const broken = new Map<string, string[]>();
  if (clusterIds.length === 0) return broken;
  const rows = await kysely
    .selectFrom('cluster_slice')
    .select(['cluster_id as id', 'key', 'name', 'workload', 'sealed_secrets as sealedSecrets'])
    .where('organization_id', '=', organizationId)
    .where('cluster_id', 'in', clusterIds)
    .where('removed_at', 'is', null)
    .where('sealed_secrets', 'is not', null)
    .orderBy('key')
    .execute();
  for (const { id, key, name, ...stored } of rows) {
    const opens = await unsealWorkload(keyring, { id, organizationId }, key, stored).then(
      () => true,
      () => false,
    );
    if (!opens) broken.set(id, [...(broken.get(id) ?? []), name]);
  }
  return broken;
}
