import { type RawBuilder, sql } from 'kysely';
import type { ChangeAuthor } from '../../domain/approvals/approvals.ts';
import type { Effect } from '../engine/effect.ts';

/**
 * Whose change an approval is: of the requester and of those who staged the items of its change set. A token counts as the
 * person who created it; that of a CI job as the job, and as those who created or changed its trusted issuer. For a
 * statement that reads `approval`.
 */
export function authorsOf(organizationId: string): RawBuilder<ChangeAuthor[]> {
  return sql<ChangeAuthor[]>`(
    select coalesce(jsonb_agg(distinct jsonb_build_object('id', account.id, 'requested', named.requested,
      'byIssuer', account.by_issuer)), '[]')
    from (
      select coalesce(approval.answerable_id, approval.requested_by_id) as id, true as requested
      union
      select item.staged_by_id, false from change_set_item item
      where item.organization_id = ${organizationId} and item.change_set_id = approval.change_set_id
    ) named
    left join api_token token on token.organization_id = ${organizationId}
      and token.id = case when named.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then named.id::uuid end
    left join trusted_issuer rule on rule.organization_id = ${organizationId} and rule.id = token.trusted_issuer_id
    cross join lateral (
      select coalesce(token.maker_id::text, named.id) as id, false as by_issuer
      union all
      select unnest(coalesce(token.rule_author_ids, rule.author_ids, array[rule.created_by])), true
      where token.trusted_issuer_id is not null
    ) account
    where account.id is not null)`;
}

/** Those that were recorded with the request; of one that an earlier version requested, those that are known now. */
export function recordedAuthors(organizationId: string): RawBuilder<ChangeAuthor[]> {
  return sql<ChangeAuthor[]>`coalesce(approval.authors, ${authorsOf(organizationId)})`;
}

/** Records with an approval that is being requested whose change it is, so that nothing that happens later alters that. */
export async function recordAuthors(
  { kysely }: Effect,
  organizationId: string,
  approvalId: string,
): Promise<ChangeAuthor[]> {
  const { rows } = await sql<{ authors: ChangeAuthor[] }>`
    update approval set authors = ${authorsOf(organizationId)}
    where approval.organization_id = ${organizationId} and approval.id = ${approvalId}
    returning approval.authors
  `.execute(kysely);
  return rows[0]?.authors ?? [];
}
