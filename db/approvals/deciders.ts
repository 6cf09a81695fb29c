import type { Kysely } from 'kysely';
import { decidersAmong } from '../../domain/approvals/who-decides.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ApprovalView } from './approvals.ts';

/** The accounts that may decide in an organization at all: its admins and owners. */
export async function deciders(kysely: Kysely<Tables>, organizationId: string): Promise<string[]> {
  return (await people(kysely, organizationId)).map(({ id }) => id);
}

/** Those of them who may decide an approval that is pending, by name. */
export async function namedDeciders(
  kysely: Kysely<Tables>,
  { organizationId, decision, authors }: Pick<ApprovalView, 'organizationId' | 'decision' | 'authors'>,
): Promise<{ id: string; name: string }[]> {
  if (decision !== null) return [];
  const all = await people(kysely, organizationId);
  const among = new Set(decidersAmong({ authors, deciders: all.map(({ id }) => id) }));
  return all.filter(({ id }) => among.has(id));
}

async function people(kysely: Kysely<Tables>, organizationId: string): Promise<{ id: string; name: string }[]> {
  return await tenant(kysely, organizationId)
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select(['app_user.id', 'app_user.name'])
    .where('membership.role', 'in', ['admin', 'owner'])
    .where('app_user.disabled_at', 'is', null)
    .orderBy('app_user.name')
    .execute();
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
