import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type Selectable, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { TrustedJobs } from '../../domain/guards/guards.ts';
import { Problem } from '../../domain/problems.ts';
import type { TokenRole } from '../../domain/roles.ts';
import { revokeTokensOfRule } from '../api-tokens/api-tokens.ts';
import type { Effect } from '../engine/effect.ts';
import { guardChanged } from '../guards/guard-changed.ts';
import type { AllTables } from '../postgres/all-tables.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { type Finder, foundColumns, hasWords } from '../search/finder.ts';

/** The claims that a job's token must carry, and the role and projects that the job gets for them. */
export interface TrustedIssuerRule {
  name: string;
  issuer: string;
  audience: string;
  claims: Record<string, string[]>;
  role: TokenRole;
  /** Null: its tokens are not limited to projects. */
  projectIds: string[] | null;
  tokenLifetimeSeconds: number;
}

export interface TrustedIssuerView extends TrustedIssuerRule {
  id: string;
  createdBy: string;
  /** Who created it, or changed whom it trusts and with what. */
  authorIds: string[];
  createdAt: Date;
  lastUsedAt: Date | null;
}

const fields = [
  'name',
  'issuer',
  'audience',
  'claims',
  'role',
  'projectIds',
  'tokenLifetimeSeconds',
] as const satisfies (keyof TrustedIssuerRule)[];

/** Fields that decide who gets a token and with which rights: a change of one revokes the tokens issued before. */
const deciding: ReadonlySet<keyof TrustedIssuerRule> = new Set(['issuer', 'audience', 'claims', 'role', 'projectIds']);

export async function createTrustedIssuer(
  effect: Effect,
  organizationId: string,
  rule: TrustedIssuerRule,
): Promise<TrustedIssuerView> {
  const id = uuid();
  await named(rule.name, () =>
    tenant(effect.kysely, organizationId)
      .insertInto('trusted_issuer')
      .values({
        id,
        ...columnsOf(rule),
        created_by: authorOf(effect),
        author_ids: [authorOf(effect)],
      })
      .execute(),
  );
  note(effect, organizationId, { id, name: rule.name }, 'created', { ...columnsOf(rule) });
  const created = { guard: 'trusted-issuer', before: null, after: trustedJobs(rule) } as const;
  await guardChanged(effect, { organizationId, id, name: rule.name }, created);
  return await written(effect, organizationId, id);
}

/** The rule, kept as it is until the effect ends. `undefined`: there is no such rule. */
export async function lockTrustedIssuer(
  effect: Effect,
  organizationId: string,
  id: string,
): Promise<TrustedIssuerView | undefined> {
  const row = await rules(effect.kysely, organizationId).where('id', '=', id).forUpdate().executeTakeFirst();
  return row && viewOf(row);
}

/** Changes a rule that is locked; if that changes who is trusted or with what, its live tokens are revoked. */
export async function updateTrustedIssuer(
  effect: Effect,
  organizationId: string,
  before: TrustedIssuerView,
  after: TrustedIssuerRule,
): Promise<TrustedIssuerView> {
  const changed = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  if (changed.length === 0) return before;
  const { id } = before;
  const decides = changed.some((field) => deciding.has(field));
  const authors = decides ? [...new Set([...before.authorIds, authorOf(effect)])] : before.authorIds;
  await named(after.name, () =>
    tenant(effect.kysely, organizationId)
      .updateTable('trusted_issuer')
      .set({ ...columnsOf(after), author_ids: authors })
      .where('id', '=', id)
      .execute(),
  );
  const revokedTokens = decides ? await revokeTokensOfRule(effect, organizationId, id) : 0;
  const details: JsonObject = { revokedTokens };
  for (const field of changed) details[field] = { from: before[field], to: after[field] };
  note(effect, organizationId, { id, name: after.name }, 'changed', details);
  const change = { guard: 'trusted-issuer', before: trustedJobs(before), after: trustedJobs(after) } as const;
  await guardChanged(effect, { organizationId, id, name: after.name }, change);
  return await written(effect, organizationId, id);
}

/** `false`: there is no such rule. */
export async function deleteTrustedIssuer(effect: Effect, organizationId: string, id: string): Promise<boolean> {
  const deleted = await tenant(effect.kysely, organizationId)
    .deleteFrom('trusted_issuer')
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (deleted === undefined) return false;
  const revokedTokens = await revokeTokensOfRule(effect, organizationId, id);
  note(effect, organizationId, deleted, 'deleted', { revokedTokens });
  const change = { guard: 'trusted-issuer', before: trustedJobs(viewOf(deleted)), after: null } as const;
  await guardChanged(effect, { organizationId, id, name: deleted.name }, change);
  return true;
}

export async function findTrustedIssuer(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<TrustedIssuerView | undefined> {
  const row = await rules(kysely, organizationId).where('id', '=', id).executeTakeFirst();
  return row && viewOf(row);
}

/** The organization's rules, oldest first: the order in which they are tried. `q`: words of their names or issuers. */
export async function listTrustedIssuers(
  kysely: Kysely<Tables>,
  organizationId: string,
  page: Page & { q?: string | undefined },
): Promise<TrustedIssuerView[]> {
  const { q } = page;
  const query = rules(kysely, organizationId)
    .where(hasWords(q, [sql.ref('name'), sql.ref('issuer')]))
    .$call(pageOf('trusted_issuer', 'oldest', page));
  return (await query.execute()).map(viewOf);
}

function rules(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId).selectFrom('trusted_issuer').selectAll();
}

type Row = Selectable<AllTables['trusted_issuer']>;

export function viewOf(row: Row): TrustedIssuerView {
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    audience: row.audience,
    claims: row.claims,
    role: row.role,
    projectIds: row.project_ids,
    tokenLifetimeSeconds: row.token_lifetime_seconds,
    createdBy: row.created_by,
    authorIds: row.author_ids ?? [row.created_by],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

function columnsOf(rule: TrustedIssuerRule) {
  return {
    name: rule.name,
    issuer: rule.issuer,
    audience: rule.audience,
    claims: rule.claims,
    role: rule.role,
    project_ids: rule.projectIds,
    token_lifetime_seconds: rule.tokenLifetimeSeconds,
  };
}

function authorOf({ author }: Effect): string {
  return author.kind === 'user' ? author.id : author.name;
}

/** Whom a rule lets in, and with what. */
function trustedJobs({ issuer, audience, claims, role, projectIds }: TrustedIssuerRule): TrustedJobs {
  return { issuer, audience, claims, role, projectIds };
}

async function named<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (uniqueViolation(error) !== 'trusted_issuer_organization_id_name_unique') throw error;
    throw new Problem('conflict', `A trusted issuer named "${name}" exists already: choose another name.`, {
      errors: [{ location: 'body.name', message: 'another rule has this name; choose another one', value: name }],
    });
  }
}

function note(
  effect: Effect,
  organizationId: string,
  { id, name }: { id: string; name: string },
  what: 'created' | 'changed' | 'deleted',
  details: JsonObject,
): void {
  effect.audit(`trusted_issuer.${what}`, { organizationId, id, name }, details);
  effect.change({ organizationId, kind: 'trusted_issuer', id });
}

async function written(effect: Effect, organizationId: string, id: string): Promise<TrustedIssuerView> {
  const rule = await findTrustedIssuer(effect.kysely, organizationId, id);
  if (rule === undefined) throw new Error(`The trusted issuer ${id} that was just written is not there.`);
  return rule;
}

export const foundTrustedIssuers: Finder = {
  kind: 'trusted-issuer',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'trusted-issuer', { id: sql`trusted_issuer.id`, name: sql`trusted_issuer.name`, detail: sql`trusted_issuer.issuer` })}
    from trusted_issuer where trusted_issuer.organization_id = ${organizationId}`,
};
