import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { isId } from '../../domain/ids.ts';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants, tenant } from '../postgres/tenant.ts';
import { type TrustedIssuerView, viewOf } from './trusted-issuers.ts';

export interface RuleOfOrganization extends TrustedIssuerView {
  organizationId: string;
}

/**
 * The rules of an organization (its id or slug) about an issuer, in the order in which they are tried. One query, so
 * that an organization that does not exist takes no less time than one without such a rule.
 */
export async function rulesAbout(
  kysely: Kysely<Tables>,
  organization: string,
  issuer: string,
): Promise<RuleOfOrganization[]> {
  // A slug that looks like an id is read as an id: nobody may catch another organization's jobs with such a slug.
  const column = isId(organization) ? 'organization.id' : 'organization.slug';
  const rows = await acrossTenants(kysely)
    .selectFrom('trusted_issuer')
    .innerJoin('organization', 'organization.id', 'trusted_issuer.organization_id')
    .selectAll('trusted_issuer')
    .where(column, '=', organization.toLowerCase())
    .where('organization.deletion_id', 'is', null)
    .where('trusted_issuer.issuer', '=', issuer)
    .orderBy('trusted_issuer.created_at')
    .orderBy('trusted_issuer.id')
    .execute();
  return rows.map((row) => ({ ...viewOf(row), organizationId: row.organization_id }));
}

/** Notes that a job's token was used. `false`: it was used before. */
export async function useJobToken(
  effect: Effect,
  token: { issuer: string; id: string; expiresAt: Date },
): Promise<boolean> {
  const hash = createHash('sha256')
    .update(JSON.stringify([token.issuer, token.id]))
    .digest();
  const noted = await effect.kysely
    .insertInto('exchanged_token')
    .values({ hash, expires_at: token.expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('hash')
    .executeTakeFirst();
  return noted !== undefined;
}

/** To the minute, so that the jobs of a busy rule do not wait for each other more than they must. */
export async function noteRuleUsed(effect: Effect, rule: RuleOfOrganization): Promise<void> {
  await tenant(effect.kysely, rule.organizationId)
    .updateTable('trusted_issuer')
    .set({ last_used_at: sql`now()` })
    .where('id', '=', rule.id)
    .where(sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`)
    .execute();
}
