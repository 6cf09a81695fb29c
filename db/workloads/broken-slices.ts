import { type Kysely, sql } from 'kysely';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';

/**
 * The names of what cannot be delivered to these clusters, because its secrets do not open any more: they were sealed
 * with another key than the organization's, or that one does not open itself. Each ciphertext names its key, so nothing
 * is opened here; one that was changed in the database is told by the agent that it is delivered to.
 */
export async function brokenSlices(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'secretHeader'>,
  organizationId: string,
  clusterIds: readonly string[],
): Promise<Map<string, string[]>> {
  const broken = new Map<string, string[]>();
  if (clusterIds.length === 0) return broken;
  const header = await keyring.secretHeader(organizationId).catch(() => undefined);
  let query = kysely
    .selectFrom('cluster_slice')
    .select(['cluster_id as id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('cluster_id', 'in', clusterIds)
    .where('removed_at', 'is', null)
    .where('sealed_secrets', 'is not', null)
    .orderBy('key');
  if (header !== undefined)
    query = query.where(sql<Buffer>`substring(sealed_secrets from 1 for ${header.length}::int)`, '<>', header);
  for (const { id, name } of await query.execute()) broken.set(id, [...(broken.get(id) ?? []), name]);
  return broken;
}
