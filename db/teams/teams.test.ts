import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { until } from '../../test/ground/until.ts';
import { machine, seedMember, seedOrganization, seedUser } from '../../test/seeds/seed.ts';
import { type Effect, effect } from '../engine/effect.ts';
import { acrossTenants } from '../postgres/tenant.ts';
import { createTeam, deleteTeam, findTeam, listTeams, renameTeam, setTeamMembers } from './teams.ts';

let organizationId: string;
const fresh = await freshDatabase({ poolMax: 20 });
afterAll(() => fresh.drop());
beforeEach(async () => {
  organizationId = await seedOrganization(fresh.database);
});

function run<T>(work: (effect: Effect) => Promise<T>): Promise<T> {
  return effect(fresh.database, machine, work);
}
const create = (name: string, organization = organizationId) => run((effect) => createTeam(effect, organization, name));

test('a team gets the slug of its name, and another number when that is taken', async () => {
  expect(await create('Ops & Co')).toMatchObject({
    name: 'Ops & Co',
    slug: 'ops-co',
    projectCount: 0,
    scimManaged: false,
    members: [],
  });
  expect((await create('Ops Co')).slug).toBe('ops-co-2');
  expect((await create('東京')).slug).toBe('team');
  await expect(create('OPS & co')).rejects.toMatchObject({ code: 'conflict' });
  expect((await create('Ops & Co', await seedOrganization(fresh.database))).slug).toBe('ops-co');
});

test('teams that are made at once with one slug all get one of their own', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `ops${'!'.repeat(n)}`);
  const teams = await Promise.all(names.map((name) => create(name)));
  expect(new Set(teams.map(({ slug }) => slug)).size).toBe(10);
  const same = await Promise.allSettled(Array.from({ length: 10 }, () => create('same')));
  expect(same.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a renamed team keeps its slug, and a name that is taken is a conflict', async () => {
  const team = await create('Ops');
  await create('Dev');
  const rename = (name: string, organization = organizationId) =>
    run((effect) => renameTeam(effect, organization, team.id, name));
  expect(await rename('Operations')).toMatchObject({ name: 'Operations', slug: 'ops' });
  expect(await rename('operations')).toMatchObject({ name: 'operations' });
  await expect(rename('DEV')).rejects.toMatchObject({ code: 'conflict' });
  expect(await rename('Other', await seedOrganization(fresh.database))).toBeUndefined();
});

test('only members of the organization can be in its teams', async () => {
  const team = await create('Ops');
  const ada = await seedMember(fresh.database, organizationId, 'viewer', 'Ada');
  const bob = await seedMember(fresh.database, organizationId, 'viewer', 'Bob');
  const stranger = await seedUser(fresh.database);
  const set = (...users: string[]) => run((effect) => setTeamMembers(effect, organizationId, team.id, users));
  const both = await set(bob, ada, ada);
  expect(both).toMatchObject({ kind: 'set', team: { members: [{ name: 'Ada' }, { name: 'Bob' }] } });
  expect(await set(ada, stranger)).toEqual({ kind: 'not-members', userIds: [stranger] });
  expect(await set(bob)).toMatchObject({ kind: 'set', team: { members: [{ userId: bob }] } });
  const direct = fresh.database.kysely
    .insertInto('team_member')
    .values({ team_id: team.id, user_id: stranger, organization_id: organizationId })
    .execute();
  await expect(direct).rejects.toThrow('team_member_organization_id_user_id_foreign');
  const leaves = fresh.database.kysely.deleteFrom('membership').where('user_id', '=', bob).execute();
  await leaves;
  expect((await findTeam(fresh.database.kysely, organizationId, team.id))?.members).toEqual([]);
  expect(await set()).toMatchObject({ kind: 'set', team: { members: [] } });
  expect(await run((effect) => setTeamMembers(effect, organizationId, uuid(), []))).toBeUndefined();
});

test('somebody who leaves at the same moment is no member, and that is no defect', async () => {
  const { kysely } = fresh.database;
  const team = await create('Ops');
  const ada = await seedMember(fresh.database, organizationId);
  const leaving = await kysely.startTransaction().execute();
  await acrossTenants(leaving).deleteFrom('membership').where('user_id', '=', ada).execute();
  const setting = run((effect) => setTeamMembers(effect, organizationId, team.id, [ada]));
  await until('it waits for the one who leaves', async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(kysely);
    return rows.length === 1;
  });
  await leaving.commit().execute();
  expect(await setting).toEqual({ kind: 'not-members', userIds: [ada] });
});

test('teams are listed oldest first, page by page, of one organization', async () => {
  for (let n = 0; n < 5; n += 1) await create(`${n}`);
  await create('other', await seedOrganization(fresh.database));
  const all = await listTeams(fresh.database.kysely, organizationId, { limit: 10 });
  expect(all.map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4']);
  const first = await listTeams(fresh.database.kysely, organizationId, { limit: 2 });
  const rest = await listTeams(fresh.database.kysely, organizationId, { limit: 9, after: first.at(-1) });
  expect([...first, ...rest]).toEqual(all);
});

test('a deleted team is gone, with its members, for its own organization only', async () => {
  const team = await create('Ops');
  const ada = await seedMember(fresh.database, organizationId);
  await run((effect) => setTeamMembers(effect, organizationId, team.id, [ada]));
  const other = await seedOrganization(fresh.database);
  expect(await run((effect) => deleteTeam(effect, other, team.id))).toBe(false);
  expect(await run((effect) => deleteTeam(effect, organizationId, team.id))).toBe(true);
  expect(await findTeam(fresh.database.kysely, organizationId, team.id)).toBeUndefined();
  expect(await run((effect) => deleteTeam(effect, organizationId, team.id))).toBe(false);
});
