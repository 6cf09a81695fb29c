import type { Kysely } from 'kysely';
import type { GitProvider } from '../../../domain/git/connections.ts';
import type { Tables } from '../../postgres/tables.ts';
import { acrossTenants } from '../../postgres/tenant.ts';

/** The connection that a webhook's address names. */
export interface ToldConnection {
  id: string;
  organizationId: string;
  provider: GitProvider;
  host: string;
  label: string;
}

/** Undefined of one that is deleted, or whose organization is: hosts are told of neither. */
export async function toldConnection(kysely: Kysely<Tables>, id: string): Promise<ToldConnection | undefined> {
  // The address is all that a host knows: whose connection it is, it cannot say.
  return await acrossTenants(kysely)
    .selectFrom('git_connection')
    .innerJoin('organization', 'organization.id', 'git_connection.organization_id')
    .select(['git_connection.id', 'git_connection.organization_id as organizationId', 'provider', 'host', 'label'])
    .where('git_connection.id', '=', id)
    .where('organization.deletion_id', 'is', null)
    .executeTakeFirst();
}
