import { type SqlBool, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import type { AllTables } from './all-tables.ts';
import type { Tables } from './tables.ts';
import type { OwnTables } from './tenant.ts';
import { tenant } from './tenant.ts';
import { type GuardedTable, guardedTables } from './tenant-tables.ts';

let acme: string;
let other: string;
/** A team of each organization, of the same name and slug. */
let teams: Record<string, string>;
const fresh = await freshDatabase();
afterAll(() => fresh.drop());
beforeEach(async () => {
  [acme, other] = [await seedOrganization(fresh.database), await seedOrganization(fresh.database)];
  teams = {};
  for (const organization of [acme, other]) {
    const id = uuid();
    await own(organization).insertInto('team').values({ id, name: 'Ops', slug: 'ops' }).execute();
    const user_id = await seedMember(fresh.database, organization);
    await own(organization).insertInto('team_member').values({ team_id: id, user_id }).execute();
    teams[organization] = id;
  }
});

const own = (organizationId: string) => tenant(fresh.database.kysely, organizationId);
const ofOther = async () =>
  await fresh.database.kysely.selectFrom('team').selectAll().where('organization_id', '=', other).execute();

test('the types give reference data only to who says whose', () => {
  expect(guardedTables).toEqual(expect.arrayContaining(['api_token', 'release', 'team', 'variable', 'volume']));
  expectTypeOf<Extract<keyof Tables, GuardedTable>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<keyof AllTables, GuardedTable>>().toEqualTypeOf<GuardedTable>();
  expectTypeOf<OwnTables['team']['organization_id']['__insert__']>().toEqualTypeOf<never>();
  expectTypeOf<OwnTables['team']['organization_id']['__update__']>().toEqualTypeOf<never>();
});

test('a read sees the rows of its organization, by an alias, in subqueries, joins and with clauses too', async () => {
  const rows = own(acme);
  expect(await rows.selectFrom('team').select('id').execute()).toEqual([{ id: teams[acme] }]);
  expect(await rows.selectFrom('team as t').select('t.id').where('t.id', '=', String(teams[other])).execute()).toEqual(
    [],
  );
  const counted = await rows
    .selectFrom('organization')
    .select((select) => select.selectFrom('team').select(select.fn.countAll().as('n')).as('teams'))
    .where('organization.id', '=', other)
    .executeTakeFirst();
  expect(counted).toEqual({ teams: '1' });
  const joined = await rows
    .selectFrom('organization')
    .leftJoin('team', 'team.organization_id', 'organization.id')
    .innerJoin('team_member as who', (join) => join.onTrue())
    .select(['organization.id', 'team.name', 'who.organization_id as whose'])
    .where('organization.id', 'in', [acme, other])
    .orderBy('team.name')
    .execute();
  expect(joined).toEqual([
    { id: acme, name: 'Ops', whose: acme },
    { id: other, name: null, whose: acme },
  ]);
  const named = rows.with('mine', (all) => all.selectFrom('team').selectAll()).selectFrom('mine');
  expect(await named.select('organization_id').execute()).toEqual([{ organization_id: acme }]);
});

test('an or of raw SQL does not lead out of the organization', async () => {
  const either = sql<SqlBool>`name = 'none' or true`;
  expect(await own(acme).selectFrom('team').select('id').where(either).execute()).toEqual([{ id: teams[acme] }]);
  const renamed = await own(acme).updateTable('team').set({ name: 'Mine' }).where(either).executeTakeFirst();
  expect(renamed.numUpdatedRows).toBe(1n);
  expect(await ofOther()).toMatchObject([{ name: 'Ops' }]);
});

test('a change or deletion by the id of another organization meets nothing', async () => {
  const id = String(teams[other]);
  await own(acme).updateTable('team').set({ name: 'Theirs' }).where('id', '=', id).execute();
  await own(acme).updateTable('team').from('team_member').set({ name: 'Theirs' }).execute();
  expect(await ofOther()).toMatchObject([{ name: 'Ops' }]);
  const byMembers = own(acme).deleteFrom('team').using('team_member').whereRef('team_member.team_id', '=', 'team.id');
  expect((await byMembers.executeTakeFirst()).numDeletedRows).toBe(1n);
  await own(acme).deleteFrom('team').execute();
  expect(await ofOther()).toHaveLength(1);
});

test('an insert is its organization’s, whatever is in the way', async () => {
  const rows = [
    { id: uuid(), name: 'A', slug: 'a' },
    { id: uuid(), name: sql<string>`upper('b')`, slug: 'b' },
  ];
  const made = await own(acme).insertInto('team').values(rows).returning(['name', 'organization_id']).execute();
  expect(made).toEqual([
    { name: 'A', organization_id: acme },
    { name: 'B', organization_id: acme },
  ]);
  const id = String(teams[other]);
  const taken = own(acme).insertInto('team').values({ id, name: 'Theirs', slug: 'theirs' });
  await taken.onConflict((conflict) => conflict.column('id').doUpdateSet({ name: 'Theirs' })).execute();
  expect(await ofOther()).toMatchObject([{ name: 'Ops' }]);
});

test('a value that looks like a part of a statement is a value', async () => {
  const claims = { kind: ['SelectQueryNode'], from: ['team'] };
  const rule = { id: uuid(), name: 'ci', issuer: 'https://ci.example.com', audience: 'a', created_by: 'test' };
  const values = { ...rule, claims, role: 'viewer' as const, token_lifetime_seconds: 60 };
  await own(acme).insertInto('trusted_issuer').values(values).execute();
  expect(await own(acme).selectFrom('trusted_issuer').select('claims').execute()).toEqual([{ claims }]);
});

test('a form that cannot be completed is refused, with what to write instead', async () => {
  const rows = own(acme);
  const refused = 'write it with acrossTenants() and name organization_id in it yourself';
  const forms = [
    () => rows.selectFrom('organization').rightJoin('team', 'team.organization_id', 'organization.id').selectAll(),
    () => rows.selectFrom('organization').fullJoin('team', 'team.organization_id', 'organization.id').selectAll(),
    () => rows.selectFrom('organization').crossJoin('team').selectAll(),
    () => rows.insertInto('team').columns(['id']).expression(rows.selectFrom('team').select('id')),
    () => rows.insertInto('team').defaultValues(),
    () => rows.selectFrom('organization').select(sql`(select name from ${sql.table('team')})`.as('team')),
    () =>
      rows
        .mergeInto('team')
        .using('organization', 'organization.id', 'team.organization_id')
        .whenMatched()
        .thenDelete(),
  ];
  for (const form of forms) expect(() => form().compile()).toThrow(refused);
  await expect(sql`select name from team`.execute(rows)).rejects.toThrow(refused);
});

test('inside a transaction it is the same transaction', async () => {
  const failing = fresh.database.kysely.transaction().execute(async (transaction) => {
    await tenant(transaction, acme).deleteFrom('team').execute();
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await own(acme).selectFrom('team').select('id').execute()).toHaveLength(1);
});
