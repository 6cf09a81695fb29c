import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { TokenRole } from '../../domain/roles.ts';
import type { Effect } from '../engine/effect.ts';
import { hashSecret, newSecret } from '../keys/secrets.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { type Finder, foundColumns, hasWords } from '../search/finder.ts';

export interface ApiTokenView {
  id: string;
  tokenId: string;
  name: string;
  organizationId: string;
  role: TokenRole;
  /** The user's id, or the name of the machine that made it. */
  createdBy: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  projectIds: string[];
  projectRestricted: boolean;
}

interface NewToken {
  organizationId: string;
  name: string;
  role: TokenRole;
  /** Given, even when empty: the token sees no other projects. */
  projectIds?: string[] | undefined;
  expiresAt?: Date | undefined;
  /** By which rule a CI job gets it, and what it showed. */
  exchanged?: { trustedIssuerId: string; authorIds: string[]; details: JsonObject } | undefined;
}

/** Makes a token. The secret is returned here and is nowhere else: only its hash is stored. */
export async function createToken(effect: Effect, token: NewToken): Promise<{ row: ApiTokenView; secret: string }> {
  const { organizationId, name, role, projectIds, expiresAt, exchanged } = token;
  const id = uuid();
  // Hexadecimal: the parts of a token are told apart by underscores.
  const tokenId = randomBytes(12).toString('hex');
  const secret = newSecret();
  await tenant(effect.kysely, organizationId)
    .insertInto('api_token')
    .values({
      id,
      token_id: tokenId,
      secret_hash: hashSecret(secret),
      name,
      role,
      project_restricted: projectIds !== undefined,
      created_by: effect.author.kind === 'user' ? effect.author.id : effect.author.name,
      maker_id: effect.author.kind === 'user' ? effect.author.id : null,
      expires_at: expiresAt ?? null,
      trusted_issuer_id: exchanged?.trustedIssuerId ?? null,
      rule_author_ids: exchanged?.authorIds ?? null,
    })
    .execute();
  const projects = [...new Set(projectIds)];
  if (projects.length > 0) {
    await tenant(effect.kysely, organizationId)
      .insertInto('api_token_project')
      .values(projects.map((project) => ({ api_token_id: id, project_id: project })))
      .execute();
  }
  effect.audit(
    exchanged === undefined ? 'api_token.created' : 'api_token.exchanged',
    { organizationId, id, name },
    { ...exchanged?.details, role, tokenId, ...(projectIds === undefined ? {} : { projectIds: projects }) },
  );
  effect.change({ organizationId, kind: 'api_token', id });
  const row = await findToken(effect.kysely, organizationId, id);
  if (row === undefined) throw new Error('The token that was just made is not there.');
  return { row, secret: `svc_${tokenId}_${secret}` };
}

/** Revokes a token and closes its streams. `undefined`: there is none, or it is revoked already. */
export async function revokeToken(
  effect: Effect,
  organizationId: string,
  id: string,
): Promise<{ name: string } | undefined> {
  const revoked = await tenant(effect.kysely, organizationId)
    .updateTable('api_token')
    .set({ revoked_at: sql`now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst();
  if (revoked === undefined) return undefined;
  noteRevoked(effect, organizationId, { id, name: revoked.name });
  return revoked;
}

/** Revokes the live tokens that were made by a rule. How many they were. */
export async function revokeTokensOfRule(
  effect: Effect,
  organizationId: string,
  trustedIssuerId: string,
): Promise<number> {
  const revoked = await tenant(effect.kysely, organizationId)
    .updateTable('api_token')
    .set({ revoked_at: sql`now()` })
    .where('trusted_issuer_id', '=', trustedIssuerId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['id', 'name'])
    .execute();
  for (const token of revoked) noteRevoked(effect, organizationId, token);
  return revoked.length;
}

/** Ends what a member made that leaves: its tokens were its own. Which they were. */
export async function endTokensOf(effect: Effect, organizationId: string, userId: string): Promise<EndedToken[]> {
  const ended = await tenant(effect.kysely, organizationId)
    .updateTable('api_token')
    .set({ revoked_at: sql`now()` })
    .where('maker_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .returning(['id', 'name'])
    .execute();
  for (const token of ended) noteRevoked(effect, organizationId, token, { because: 'member-left', userId });
  return ended;
}

export interface EndedToken {
  id: string;
  name: string;
}

function noteRevoked(
  effect: Effect,
  organizationId: string,
  { id, name }: EndedToken,
  details?: Record<string, string>,
): void {
  effect.audit('api_token.revoked', { organizationId, id, name }, details);
  effect.change({ organizationId, kind: 'credential.revoked', id });
  effect.change({ organizationId, kind: 'api_token', id });
}

export async function findToken(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ApiTokenView | undefined> {
  return await tokens(kysely, organizationId).where('token.id', '=', id).executeTakeFirst();
}

/** The organization's tokens, newest first, revoked ones too; `q`: words of their names, or of the ids in their secrets. */
export async function listTokens(
  kysely: Kysely<Tables>,
  organizationId: string,
  page: Page & {
    live?: boolean;
    makerId?: string | undefined;
    q?: string | undefined;
    trustedIssuerId?: string | undefined;
  },
): Promise<ApiTokenView[]> {
  const { live = false, makerId, q, trustedIssuerId } = page;
  let query = tokens(kysely, organizationId)
    .where(hasWords(q, [sql.ref('token.name'), sql.ref('token.token_id')]))
    .$call(pageOf('token', 'newest', page));
  if (makerId !== undefined) query = query.where('token.maker_id', '=', makerId);
  if (trustedIssuerId !== undefined) query = query.where('token.trusted_issuer_id', '=', trustedIssuerId);
  if (live) {
    query = query
      .where('token.revoked_at', 'is', null)
      .where(({ eb, or }) => or([eb('token.expires_at', 'is', null), eb('token.expires_at', '>', sql<Date>`now()`)]));
  }
  return await query.execute();
}

function tokens(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('api_token as token')
    .select([
      'token.id',
      'token.token_id as tokenId',
      'token.name',
      'token.organization_id as organizationId',
      'token.role',
      'token.created_by as createdBy',
      'token.created_at as createdAt',
      'token.expires_at as expiresAt',
      'token.last_used_at as lastUsedAt',
      'token.revoked_at as revokedAt',
      'token.project_restricted as projectRestricted',
      sql<string[]>`array(select project_id::text from api_token_project as project
              where project.organization_id = token.organization_id and project.api_token_id = token.id
              order by project_id)`.as('projectIds'),
    ]);
}

/** None while it works. */
const tokenState = sql`case when api_token.revoked_at is not null then 'revoked' when api_token.expires_at <= now() then 'expired' end`;

export const foundTokens: Finder = {
  kind: 'token',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'token', { id: sql`api_token.id`, name: sql`api_token.name`, state: tokenState })}
    from api_token where api_token.organization_id = ${organizationId}`,
};
