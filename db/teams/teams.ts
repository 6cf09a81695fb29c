import { CompiledQuery, type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import { freeSlug, slugOf } from '../../domain/slug.ts';
import type { Effect } from '../engine/effect.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { preparedPages } from '../search/prepared-pages.ts';

export interface TeamView {
  id: string;
  name: string;
  slug: string;
  createdAt: Date;
  projectCount: number;
  scimManaged: boolean;
  members: { userId: string; name: string; email: string }[];
}

const teamQuery = `
  select team.id, team.name, team.slug, team.created_at as "createdAt", team.scim_managed as "scimManaged",
         (select count(*)::int from project
          where project.organization_id = team.organization_id and project.team_id = team.id
            and project.deletion_id is null) as "projectCount",
         coalesce((
           select json_agg(json_build_object('userId', app_user.id, 'name', app_user.name, 'email', app_user.email)
                           order by app_user.name, app_user.id)
           from team_member join app_user on app_user.id = team_member.user_id
           where team_member.team_id = team.id), '[]') as members
  from team
  where team.organization_id = $1`;
const byId = `${teamQuery} and team.id = $2`;

export async function findTeam(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<TeamView | undefined> {
  const { rows } = await kysely.executeQuery<TeamView>(CompiledQuery.raw(byId, [organizationId, id]));
  return rows[0];
}

/** The organization's teams, oldest first; `q`: words of their names. */
export const listTeams = preparedPages<TeamView>(teamQuery, {
  at: 'team.created_at',
  id: 'team.id',
  words: 'team.name',
});

/** Makes a team; its slug follows from its name. A name that is taken is a conflict, a slug never is. */
export async function createTeam(effect: Effect, organizationId: string, name: string): Promise<TeamView> {
  const id = uuid();
  await insertTeam(effect, { id, organizationId, name });
  effect.audit('team.created', { organizationId, id, name });
  effect.change({ organizationId, kind: 'team', id });
  return await written(effect, organizationId, id);
}

/** Renames a team. Its slug stays, since it stands in addresses. `undefined`: there is no such team. */
export async function renameTeam(
  effect: Effect,
  organizationId: string,
  id: string,
  name: string,
): Promise<TeamView | undefined> {
  const before = await lockTeam(effect, organizationId, id);
  if (before === undefined) return undefined;
  try {
    await tenant(effect.kysely, organizationId).updateTable('team').set({ name }).where('id', '=', id).execute();
  } catch (error) {
    if (uniqueViolation(error) === 'team_organization_id_name_unique') throw nameTaken(name);
    throw error;
  }
  effect.audit('team.renamed', { organizationId, id, name }, { from: before.name, to: name });
  effect.change({ organizationId, kind: 'team', id });
  return await written(effect, organizationId, id);
}

/** `false`: there is no such team. One that owns projects is kept. */
export async function deleteTeam(effect: Effect, organizationId: string, id: string): Promise<boolean> {
  await lockTeam(effect, organizationId, id);
  await refuseOwner(effect, organizationId, id);
  const deleted = await tenant(effect.kysely, organizationId)
    .deleteFrom('team')
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst();
  if (deleted === undefined) return false;
  effect.audit('team.deleted', { organizationId, id, name: deleted.name });
  effect.change({ organizationId, kind: 'team', id });
  return true;
}

async function refuseOwner(effect: Effect, organizationId: string, id: string): Promise<void> {
  const owned = await tenant(effect.kysely, organizationId)
    .selectFrom('project')
    .select('name')
    .where('team_id', '=', id)
    .where('deletion_id', 'is', null)
    .orderBy('name')
    .limit(6)
    .execute();
  if (owned.length === 0) return;
  const named = owned.slice(0, 5).map(({ name }) => `"${name}"`);
  const all = [...named, ...(owned.length > 5 ? ['others'] : [])].join(', ');
  throw new Problem('conflict', `The team owns ${all}: give these projects another owner first.`);
}

export type MembersSet = { kind: 'set'; team: TeamView } | { kind: 'not-members'; userIds: string[] };

/** Makes these users the team's members. All must be members of the organization. `undefined`: no such team. */
export async function setTeamMembers(
  effect: Effect,
  organizationId: string,
  id: string,
  userIds: string[],
): Promise<MembersSet | undefined> {
  const team = await lockTeam(effect, organizationId, id);
  if (team === undefined) return undefined;
  const wanted = new Set(userIds);
  const strangers = await notMembers(effect, organizationId, [...wanted]);
  if (strangers.length > 0) return { kind: 'not-members', userIds: strangers };
  const before = await membersOf(effect, organizationId, id);
  const removed = [...before].filter((userId) => !wanted.has(userId));
  const added = [...wanted].filter((userId) => !before.has(userId));
  return await writeMembers(effect, { organizationId, id, name: team.name, added, removed });
}

/** Adds some and removes others; those not named stay. All added must be members of the organization. `undefined`: no such team. */
export async function changeTeamMembers(
  effect: Effect,
  organizationId: string,
  id: string,
  change: { add: readonly string[]; remove: readonly string[] },
): Promise<MembersSet | undefined> {
  const team = await lockTeam(effect, organizationId, id);
  if (team === undefined) return undefined;
  const add = new Set(change.add);
  const strangers = await notMembers(effect, organizationId, [...add]);
  if (strangers.length > 0) return { kind: 'not-members', userIds: strangers };
  const before = await membersOf(effect, organizationId, id);
  const added = [...add].filter((userId) => !before.has(userId));
  const removed = [...new Set(change.remove)].filter((userId) => before.has(userId));
  if (added.length === 0 && removed.length === 0)
    return { kind: 'set', team: await written(effect, organizationId, id) };
  return await writeMembers(effect, { organizationId, id, name: team.name, added, removed });
}

async function membersOf(effect: Effect, organizationId: string, id: string): Promise<Set<string>> {
  const rows = await tenant(effect.kysely, organizationId)
    .selectFrom('team_member')
    .select('user_id')
    .where('team_id', '=', id)
    .execute();
  return new Set(rows.map((row) => row.user_id));
}

interface MembersChange {
  organizationId: string;
  id: string;
  name: string;
  added: string[];
  removed: string[];
}

async function writeMembers(effect: Effect, change: MembersChange): Promise<MembersSet> {
  const { organizationId, id, name, added, removed } = change;
  if (removed.length > 0) {
    await tenant(effect.kysely, organizationId)
      .deleteFrom('team_member')
      .where('team_id', '=', id)
      .where('user_id', 'in', removed)
      .execute();
  }
  if (added.length > 0) {
    await tenant(effect.kysely, organizationId)
      .insertInto('team_member')
      .values(added.map((userId) => ({ team_id: id, user_id: userId })))
      .execute();
  }
  effect.audit('team.members_set', { organizationId, id, name }, { added, removed });
  effect.change({ organizationId, kind: 'team', id });
  return { kind: 'set', team: await written(effect, organizationId, id) };
}

/** Which of these are no members, with those who are kept from leaving until the transaction ends. */
async function notMembers(effect: Effect, organizationId: string, userIds: string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const rows = await tenant(effect.kysely, organizationId)
    .selectFrom('membership')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .orderBy('user_id')
    .forKeyShare()
    .execute();
  const members = new Set(rows.map((row) => row.user_id));
  return userIds.filter((userId) => !members.has(userId));
}

async function insertTeam(
  effect: Effect,
  { id, organizationId, name }: { id: string; organizationId: string; name: string },
): Promise<void> {
  const base = slugOf(name) || 'team';
  for (;;) {
    const inserted = await tenant(effect.kysely, organizationId)
      .insertInto('team')
      .values({ id, name, slug: freeSlug(base, await slugs(effect, organizationId)) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted !== undefined) return;
    // Name or slug was taken, perhaps a moment ago: the slug has another free number, the name has not.
    const same = await tenant(effect.kysely, organizationId)
      .selectFrom('team')
      .select('id')
      .where(sql`lower(name)`, '=', sql`lower(${name})`)
      .executeTakeFirst();
    if (same !== undefined) throw nameTaken(name);
  }
}

async function slugs(effect: Effect, organizationId: string): Promise<Set<string>> {
  const rows = await tenant(effect.kysely, organizationId).selectFrom('team').select('slug').execute();
  return new Set(rows.map((row) => row.slug));
}

/** The row, kept from others until the effect ends. */
export async function lockTeam(
  effect: Effect,
  organizationId: string,
  id: string,
): Promise<{ name: string } | undefined> {
  return await tenant(effect.kysely, organizationId)
    .selectFrom('team')
    .select('name')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

async function written(effect: Effect, organizationId: string, id: string): Promise<TeamView> {
  const team = await findTeam(effect.kysely, organizationId, id);
  if (team === undefined) throw new Error(`The team ${id} that was just written is not there.`);
  return team;
}

function nameTaken(name: string): Problem {
  return new Problem('conflict', `A team named "${name}" exists already: choose another name.`, {
    errors: [{ location: 'body.name', message: 'another team has this name; choose another one', value: name }],
  });
}
