import { CompiledQuery, type Kysely } from 'kysely';
import type { AuditAction } from '../../domain/audit-actions.ts';
import { Problem } from '../../domain/problems.ts';
import { lowerRole, mayActAs, type Role } from '../../domain/roles.ts';
import { type EndedToken, endTokensOf } from '../api-tokens/api-tokens.ts';
import type { Effect } from '../engine/effect.ts';
import { guardChanged } from '../guards/guard-changed.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { preparedPages } from '../search/prepared-pages.ts';

export interface MemberView {
  userId: string;
  name: string;
  email: string;
  picture: string | null;
  role: Role;
  /** Whether the person's last sign-in passed a second factor. */
  mfa: boolean;
  createdAt: Date;
  lastActiveAt: Date | null;
  teams: { id: string; name: string }[];
}

const memberQuery = `
  select membership.user_id as "userId", app_user.name, app_user.email, app_user.picture, membership.role, app_user.mfa,
         membership.created_at as "createdAt", membership.last_active_at as "lastActiveAt",
         coalesce((
           select json_agg(json_build_object('id', team.id, 'name', team.name) order by team.name, team.id)
           from team_member join team on team.id = team_member.team_id
           where team_member.organization_id = membership.organization_id
             and team_member.user_id = membership.user_id), '[]') as teams
  from membership
  join app_user on app_user.id = membership.user_id
  where membership.organization_id = $1`;
const byUser = `${memberQuery} and membership.user_id = $2`;
const words = `
  concat_ws(E'\\n', app_user.name, app_user.email, (
    select string_agg(team.name, E'\\n')
    from team_member join team on team.id = team_member.team_id
    where team_member.organization_id = membership.organization_id and team_member.user_id = membership.user_id))`;

export async function findMember(
  kysely: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<MemberView | undefined> {
  const { rows } = await kysely.executeQuery<MemberView>(CompiledQuery.raw(byUser, [organizationId, userId]));
  return rows[0];
}

/** The organization's members, those who came first at the beginning; `q`: words of their name, e-mail or teams. */
export const listMembers = preparedPages<MemberView>(memberQuery, {
  at: 'membership.created_at',
  id: 'membership.user_id',
  words,
});

/** Of the tokens that ended, in one record; each has a record of its own. */
const mostNamed = 100;

/**
 * Changes of an organization's members, and of their rights, take turns here, so that each decides on current facts.
 * Answers the caller's present role: for a token `asRole`, or its creator's if that is lower by now. Throws a Problem if
 * the organization is deleted, or the person or the token's creator has left.
 */
export async function lockMembers(effect: Effect, organizationId: string, asRole: Role): Promise<Role> {
  await lockOrganization(effect, organizationId);
  const { kind, id } = effect.author;
  if (kind === 'token') return await roleOfToken(effect, organizationId, id, asRole);
  if (kind !== 'user') return asRole;
  const acting = await membership(effect, organizationId, id);
  if (acting === undefined) throw new Problem('not-found', 'You are no longer a member of this organization.');
  return acting.role;
}

async function roleOfToken(effect: Effect, organizationId: string, id: string, asRole: Role): Promise<Role> {
  const token = await tenant(effect.kysely, organizationId)
    .selectFrom('api_token')
    .leftJoin('membership', 'membership.user_id', 'api_token.maker_id')
    .select(['api_token.revoked_at as revokedAt', 'api_token.maker_id as makerId', 'membership.role'])
    .where('api_token.id', '=', id)
    .executeTakeFirst();
  if (token === undefined || token.revokedAt !== null || (token.makerId !== null && token.role === null)) {
    throw new Problem('no-credential', 'This API token is no longer valid.');
  }
  return token.role === null ? asRole : lowerRole(asRole, token.role);
}

/** Makes a user a member. Throws the Problem `already-member` if it is one. */
export async function addMember(effect: Effect, { organizationId, userId, role, invitationId }: NewMember) {
  await lockOrganization(effect, organizationId);
  const added = await tenant(effect.kysely, organizationId)
    .insertInto('membership')
    .values({ user_id: userId, role })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  if (added === undefined) throw new Problem('already-member', 'You are already a member of this organization.');
  const details = { role, ...(invitationId === undefined ? {} : { invitationId }) };
  await record(effect, 'member.added', { organizationId, userId, details });
  // The first owner loosens nothing.
  if (invitationId !== undefined) await roleChanged(effect, { organizationId, userId }, null, role);
}

export interface NewMember {
  organizationId: string;
  userId: string;
  role: Role;
  /** By which it came. */
  invitationId?: string;
}

/** Gives a member another role. Only an owner makes owners and unmakes them. `undefined`: there is no such member. */
export async function changeRole(
  effect: Effect,
  { organizationId, userId, role, asRole }: { organizationId: string; userId: string; role: Role; asRole: Role },
  check: (is: { role: Role }) => Promise<void> = async () => {},
): Promise<MemberView | undefined> {
  const acting = await lockMembers(effect, organizationId, asRole);
  const before = await membership(effect, organizationId, userId);
  if (before === undefined) return undefined;
  refuseLowerRole(acting, 'admin');
  await check({ role: before.role });
  if (before.role === role) return await findMember(effect.kysely, organizationId, userId);
  if (before.role === 'owner' || role === 'owner') refuseLowerRole(acting, 'owner');
  if (before.role === 'owner') await refuseLastOwner(effect, organizationId, userId, 'keep the role');
  await tenant(effect.kysely, organizationId)
    .updateTable('membership')
    .set({ role })
    .where('user_id', '=', userId)
    .execute();
  await record(effect, 'member.role_changed', { organizationId, userId, details: { from: before.role, to: role } });
  await roleChanged(effect, { organizationId, userId }, before.role, role);
  return await findMember(effect.kysely, organizationId, userId);
}

/**
 * Takes a member out, or lets it go if it is the person itself. The tokens that it made end with it: these are answered.
 * `undefined`: there is no such member.
 */
export async function removeMember(
  effect: Effect,
  { organizationId, userId, asRole }: { organizationId: string; userId: string; asRole: Role },
  check: (is: { role: Role }) => Promise<void> = async () => {},
): Promise<EndedToken[] | undefined> {
  const acting = await lockMembers(effect, organizationId, asRole);
  const before = await membership(effect, organizationId, userId);
  if (before === undefined) return undefined;
  const itself = effect.author.kind === 'user' && effect.author.id === userId;
  if (!itself) refuseLowerRole(acting, before.role === 'owner' ? 'owner' : 'admin');
  await check({ role: before.role });
  if (before.role === 'owner') await refuseLastOwner(effect, organizationId, userId, 'stay');
  const teams = await tenant(effect.kysely, organizationId)
    .deleteFrom('team_member')
    .where('user_id', '=', userId)
    .returning('team_id')
    .execute();
  await tenant(effect.kysely, organizationId).deleteFrom('membership').where('user_id', '=', userId).execute();
  const action = itself ? 'member.left' : 'member.removed';
  const ended = await endTokensOf(effect, organizationId, userId);
  const endedTokens = ended.slice(0, mostNamed).map(({ name }) => name);
  await record(effect, action, { organizationId, userId, details: { role: before.role, endedTokens } });
  await roleChanged(effect, { organizationId, userId }, before.role, null);
  for (const { team_id: id } of teams) effect.change({ organizationId, kind: 'team', id });
  return ended;
}

/** Whether somebody with this address belongs to the organization. */
/** Whether the user is a member, kept from leaving until the transaction ends. */
export async function isMember(
  { kysely }: Pick<Effect, 'kysely'>,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('membership')
    .select('user_id')
    .where('user_id', '=', userId)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function isMemberByEmail(kysely: Kysely<Tables>, organizationId: string, email: string): Promise<boolean> {
  const found = await tenant(kysely, organizationId)
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select('membership.user_id')
    .where(({ eb, fn, val }) => eb(fn('lower', ['app_user.email']), '=', fn('lower', [val(email)])))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export function refuseLowerRole(held: Role, needed: Role): void {
  if (mayActAs(held, needed)) return;
  throw new Problem(
    'role-too-low',
    needed === 'owner'
      ? `Only an owner decides about owners, and your role is ${held}; ask an owner.`
      : `This needs the role ${needed}, and yours in this organization is ${held} by now; ask an administrator.`,
  );
}

/** No key of the row changes, so rows that refer to it can still be made meanwhile. */
async function lockOrganization(effect: Effect, organizationId: string): Promise<void> {
  const locked = await effect.kysely
    .selectFrom('organization')
    .select('id')
    .where('id', '=', organizationId)
    .where('deletion_id', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (locked === undefined) throw new Problem('not-found', 'This organization was deleted.');
}

async function membership(effect: Effect, organizationId: string, userId: string): Promise<{ role: Role } | undefined> {
  return await tenant(effect.kysely, organizationId)
    .selectFrom('membership')
    .select('role')
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** An owner whose account is disabled owns nothing: nobody could act for the organization any more. */
async function refuseLastOwner(effect: Effect, organizationId: string, userId: string, must: string): Promise<void> {
  const other = await tenant(effect.kysely, organizationId)
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select('membership.user_id')
    .where('membership.role', '=', 'owner')
    .where('membership.user_id', '!=', userId)
    .where('app_user.disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) return;
  throw new Problem(
    'last-owner',
    `The last owner of an organization has to ${must}: make another member owner first, or delete the organization.`,
  );
}

async function roleChanged(
  effect: Effect,
  { organizationId, userId: id }: { organizationId: string; userId: string },
  before: Role | null,
  after: Role | null,
): Promise<void> {
  const user = await effect.kysely.selectFrom('app_user').select('name').where('id', '=', id).executeTakeFirst();
  await guardChanged(effect, { organizationId, id, name: user?.name ?? '' }, { guard: 'role', before, after });
}

async function record(
  effect: Effect,
  action: AuditAction,
  { organizationId, userId, details }: { organizationId: string; userId: string; details: JsonObject },
): Promise<void> {
  const user = await effect.kysely.selectFrom('app_user').select('name').where('id', '=', userId).executeTakeFirst();
  effect.audit(action, { organizationId, id: userId, name: user?.name }, details);
  effect.change({ organizationId, kind: 'member', id: userId });
  effect.change({ organizationId, kind: 'credential.changed', id: userId });
}
