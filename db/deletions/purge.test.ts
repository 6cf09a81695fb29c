import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';
import { createToken } from '../api-tokens/api-tokens.ts';
import { createCluster } from '../clusters/clusters.ts';
import { effect } from '../engine/effect.ts';
import { createInvitation } from '../invitations/invite.ts';
import { tenantTables } from '../postgres/tenant-tables.ts';
import { createTeam, setTeamMembers } from '../teams/teams.ts';
import { deleteOrganization } from './deletions.ts';
import { purgeOrder, purgeOrganization } from './purge.ts';

/** Beside those that are purged. */
const fresh = await freshDatabase();
const other = await full();
afterAll(() => fresh.drop());

/** An organization with rows in every table that belongs to organizations. */
async function full(): Promise<string> {
  const { database } = fresh;
  const id = await seedOrganization(database);
  const users = await Promise.all([seedMember(database, id), seedMember(database, id), seedMember(database, id)]);
  await effect(database, machine, async (effect) => {
    const team = await createTeam(effect, id, 'Ops');
    await setTeamMembers(effect, id, team.id, users);
    await createInvitation(effect, {
      organizationId: id,
      email: 'guest@example.com',
      role: 'viewer',
      lifetimeMillis: 60_000,
      asRole: 'owner',
    });
    await createToken(effect, { organizationId: id, name: 'ci', role: 'admin', projectIds: [uuid(), uuid()] });
  });
  await effect(database, machine, (effect) => createCluster(effect, { organizationId: id, name: 'Machine' }));
  await fillTables(id);
  await sql`delete from outbox where organization_id = ${id}`.execute(database.kysely);
  for (const actor of [`deletion/${id}`, `build/${id}`]) {
    await sql`
      insert into outbox (actor_id, organization_id, kind, message, body, author)
      values (${actor}, ${id}, 'message', 'm', '{}', '{}')
    `.execute(database.kysely);
    await sql`
      insert into history_archive (actor_id, run_id, page, organization_id, bytes) values (${actor}, 'r', 0, ${id}, 'b')
    `.execute(database.kysely);
  }
  await effect(database, machine, (effect) => deleteOrganization(effect, id));
  return id;
}

/** A row in each table that has none yet, those that others refer to first. */
async function fillTables(organizationId: string): Promise<void> {
  const { database } = fresh;
  const before = await counts(organizationId);
  const empty = purgeOrder().filter((table) => before[table] === 0);
  for (const table of empty.toReversed()) {
    // A key without an organization's secrets belongs to none.
    const given = table === 'data_key' ? { purpose: 'secrets' } : {};
    await tenantRow(database, table, organizationId, given);
  }
}

async function counts(organizationId: string): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const name of tenantTables) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} where organization_id = ${organizationId}
    `.execute(fresh.database.kysely);
    counted[name] = rows[0]?.count ?? 0;
  }
  return counted;
}

test('the tenant tables are all those that have organization_id', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind in ('r', 'p') and not c.relispartition and a.attname = 'organization_id' and not a.attisdropped
      and c.relnamespace = 'public'::regnamespace
  `.execute(fresh.database.kysely);
  expect([...tenantTables].sort()).toEqual(rows.map(({ name }) => name).sort());
  // Each of them has a row, so that the next test means something.
  const empty = Object.entries(await counts(other)).filter(([, count]) => count === 0);
  expect(empty).toEqual([]);
});

test('a purge takes everything of the organization but the account of its deletion, and nothing of another', async () => {
  const doomed = await full();
  const before = await counts(other);
  const { deletedRows } = await purgeOrganization(fresh.database, doomed, 2, () => undefined);
  expect(deletedRows).toBeGreaterThan(10);
  const left = Object.entries(await counts(doomed)).filter(([, count]) => count > 0);
  expect(Object.fromEntries(left)).toEqual({ deletion: 1, outbox: 2, history_archive: 1, audit_record: 2 });
  const { rows } = await sql`
    select (select count(*)::int from organization where id = ${doomed}) as organization,
           (select count(*)::int from outbox where organization_id = ${doomed} and actor_id not like 'deletion/%') as outbox,
           (select array_agg(action order by at, id) from audit_record where organization_id = ${doomed}) as actions
  `.execute(fresh.database.kysely);
  expect(rows).toEqual([{ organization: 0, outbox: 0, actions: ['organization.created', 'organization.deleted'] }]);
  expect(await counts(other)).toEqual(before);
});

test('a purge that was stopped half way goes on, and a second one finds nothing to do', async () => {
  const doomed = await full();
  let batches = 0;
  const stopped = purgeOrganization(fresh.database, doomed, 1, () => {
    batches += 1;
    if (batches === 5) throw new Error('killed');
  });
  await expect(stopped).rejects.toThrow('killed');
  const rest = await purgeOrganization(fresh.database, doomed, 100, () => undefined);
  expect(rest.deletedRows).toBeGreaterThan(0);
  const again = await purgeOrganization(fresh.database, doomed, 100, () => undefined);
  expect(again.deletedRows).toBe(0);
});

test('each tenant table is found by its organization along an index, the change feed included', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct tables.relname as name
    from pg_index join pg_class tables on tables.oid = pg_index.indrelid
    join pg_attribute first on first.attrelid = tables.oid and first.attnum = pg_index.indkey[0]
    where first.attname = 'organization_id' and pg_index.indpred is null
  `.execute(fresh.database.kysely);
  const found = new Set(rows.map(({ name }) => name));
  expect(tenantTables.filter((table) => !found.has(table))).toEqual([]);
});

test('an organization that is not deleted is not purged', async () => {
  const living = await seedOrganization(fresh.database);
  await expect(purgeOrganization(fresh.database, living, 100, () => undefined)).rejects.toThrow('is not deleted');
});

test('the memberships go last, so that the owner of a purge that failed half way still sees it', async () => {
  const doomed = await full();
  const tables = purgeOrder();
  const stopped = purgeOrganization(fresh.database, doomed, 100, ({ table }) => {
    if (table === tables.at(-2)) throw new Error('killed');
  });
  await expect(stopped).rejects.toThrow('killed');
  expect((await counts(doomed)).membership).toBeGreaterThan(0);
  expect((await counts(doomed)).team).toBe(0);
});
