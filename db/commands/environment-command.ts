import type { Kysely } from 'kysely';
import { rolloutKey } from '../deployments/rollout.ts';
import type { Tables } from '../postgres/tables.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';
import { type CommandView, commandBody, commandView } from './cluster-commands.ts';

/** A command about a workload of an environment, on whichever cluster it was then. */
export async function environmentCommand(
  { database: { kysely }, keyring }: { database: { kysely: Kysely<Tables> }; keyring: Secrets },
  environment: { id: string; organizationId: string },
  commandId: string,
): Promise<CommandView | undefined> {
  const { organizationId } = environment;
  const row = await kysely
    .selectFrom('cluster_command')
    .select(['cluster_id', 'sealed_body'])
    .where('id', '=', commandId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { key } = await commandBody(keyring, organizationId, commandId, row.sealed_body);
  if (typeof key !== 'string' || !key.startsWith(rolloutKey(environment.id, ''))) return undefined;
  return await commandView(kysely, { id: row.cluster_id, organizationId }, commandId);
}
