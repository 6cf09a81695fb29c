import type { Kysely } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** The accounts that may decide in an organization: its admins and owners. */
export async function deciders(kysely: Kysely<Tables>, organizationId: string): Promise<string[]> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select('app_user.id')
    .where('membership.role', 'in', ['admin', 'owner'])
    .where('app_user.disabled_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether a token was exchanged by a CI job: a rule made it, not a person. */
export async function isExchanged(kysely: Kysely<Tables>, organizationId: string, tokenId: string): Promise<boolean> {
  const token = await tenant(kysely, organizationId)
    .selectFrom('api_token')
    .select('trusted_issuer_id')
    .where('id', '=', tokenId)
    .executeTakeFirst();
  return token?.trusted_issuer_id != null;
}
