import { CompiledQuery, type Kysely } from 'kysely';
import type { Role, TokenRole } from '../../domain/roles.ts';
import type { Tables } from '../postgres/tables.ts';

/** The facts that every request with an API token is checked against, read in one statement. */
export interface TokenCredential {
  id: string;
  tokenId: string;
  name: string;
  /** SHA-256 of the secret: whoever reads this compares it, in constant time. */
  secretHash: Buffer;
  role: TokenRole;
  /** The person who made it, and what it is in the organization now. Undefined: a CI job or a machine made it. */
  maker: { id: string; role: Role | null; disabled: boolean } | undefined;
  /** Neither revoked nor expired, by PostgreSQL's clock. */
  valid: boolean;
  /** Until it expires, by PostgreSQL's clock. */
  secondsLeft: number | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  projectRestricted: boolean;
  projectIds: string[];
  organization: { id: string; name: string; slug: string; requireMfa: boolean };
}

/** The facts that every request with a session is checked against, read in one statement. */
export interface SessionCredential {
  id: string;
  expiresAt: Date;
  /** Until its end or the end of its patience with an idle user, by PostgreSQL's clock. */
  secondsLeft: number;
  /** Less than two minutes until the session expires for idleness: a use must be written at once. */
  idleSoon: boolean;
  /** Whether the sign-in passed more than one factor, and the account, if it is one of ours, still has a second one. */
  mfa: boolean;
  user: { id: string; name: string; email: string; emailVerified: boolean; picture: string | null };
  memberships: SessionMembership[];
  /** The snapshot in which all this was read: later changes are not visible in it. */
  snapshot: string;
  /** When, by PostgreSQL's clock, in seconds. */
  readAt: number;
}

export interface SessionMembership {
  organizationId: string;
  name: string;
  slug: string;
  role: Role;
  requireMfa: boolean;
}

// Written out and prepared, since every request runs one of these: nothing is left to build, to compile or to plan.
const tokenQuery = `
  select token.id, token.token_id as "tokenId", token.name, token.secret_hash as "secretHash", token.role,
         token.revoked_at is null and (token.expires_at is null or token.expires_at > now()) as valid,
         extract(epoch from token.expires_at - now())::float8 as "secondsLeft",
         token.expires_at as "expiresAt", token.revoked_at as "revokedAt",
         token.project_restricted as "projectRestricted",
         case when token.project_restricted
              then array(select project_id::text from api_token_project where api_token_id = token.id)
              else '{}'::text[] end as "projectIds",
         organization.id as "organizationId", organization.name as "organizationName",
         organization.slug as "organizationSlug", organization.require_mfa as "requireMfa",
         token.maker_id as "makerId", membership.role as "makerRole",
         maker.id is null or maker.disabled_at is not null as "makerDisabled"
  from api_token token
  left join app_user maker on maker.id = token.maker_id
  left join membership on membership.user_id = token.maker_id and membership.organization_id = token.organization_id
  join organization on organization.id = token.organization_id and organization.deletion_id is null
  where token.token_id = $1`;

const sessionQuery = `
  select session.id, session.expires_at as "expiresAt",
         session.mfa and (session.provider_id is distinct from 'built-in' or exists (
           select from identity
           join provider_account account on account.id = case
             when identity.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then identity.subject::uuid end
           where identity.user_id = session.user_id and identity.provider_id = 'built-in'
             and (account.totp_secret is not null
                  or exists (select from provider_passkey passkey where passkey.account_id = account.id)))) as mfa,
         extract(epoch from least(session.expires_at, session.idle_expires_at) - now())::float8 as "secondsLeft",
         coalesce(session.idle_expires_at < now() + interval '2 minutes', false) as "idleSoon",
         app_user.id as "userId", app_user.name, app_user.email, app_user.email_verified as "emailVerified",
         app_user.picture,
         coalesce((
           select json_agg(json_build_object('organizationId', organization.id, 'name', organization.name,
                                             'slug', organization.slug, 'role', membership.role,
                                             'requireMfa', organization.require_mfa)
                           order by organization.created_at, organization.id)
           from membership
           join organization on organization.id = membership.organization_id and organization.deletion_id is null
           where membership.user_id = app_user.id), '[]') as memberships,
         pg_current_snapshot()::text as snapshot, extract(epoch from now())::float8 as "readAt"
  from session
  join app_user on app_user.id = session.user_id and app_user.disabled_at is null
  where session.secret_hash = $1 and session.ended_at is null and session.expires_at > now()
    and (session.idle_expires_at is null or session.idle_expires_at > now())`;

interface TokenRow extends Omit<TokenCredential, 'organization' | 'maker'> {
  makerId: string | null;
  makerRole: Role | null;
  makerDisabled: boolean;
  organizationId: string;
  organizationName: string;
  organizationSlug: string;
  requireMfa: boolean;
}

interface SessionRow extends Omit<SessionCredential, 'user'> {
  userId: string;
  name: string;
  email: string;
  emailVerified: boolean;
  picture: string | null;
}

/** The token with this public id, of an organization that is not deleted; revoked and expired ones too. */
export async function tokenCredential(kysely: Kysely<Tables>, tokenId: string): Promise<TokenCredential | undefined> {
  const { rows } = await kysely.executeQuery<TokenRow>(CompiledQuery.raw(tokenQuery, [tokenId]));
  const [row] = rows;
  if (row === undefined) return undefined;
  const { organizationId: id, organizationName: name, organizationSlug: slug, requireMfa, ...more } = row;
  const { makerId, makerRole: role, makerDisabled: isDisabled, ...token } = more;
  const maker = makerId === null ? undefined : { id: makerId, role, disabled: isDisabled };
  return { ...token, maker, organization: { id, name, slug, requireMfa } };
}

/** The session with this secret, if it is still good and its user may still sign in. */
export async function sessionCredential(
  kysely: Kysely<Tables>,
  secretHash: Buffer,
): Promise<SessionCredential | undefined> {
  const { rows } = await kysely.executeQuery<SessionRow>(CompiledQuery.raw(sessionQuery, [secretHash]));
  const [row] = rows;
  if (row === undefined) return undefined;
  const { userId, name, email, emailVerified, picture, ...session } = row;
  return { ...session, user: { id: userId, name, email, emailVerified, picture } };
}
