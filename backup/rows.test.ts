import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { migrate } from '../db/migrations/migrate.ts';
import { emptyDatabase, freshDatabase } from '../test/ground/fresh-database.ts';
import { seedMember, seedOrganization } from '../test/seeds/seed.ts';
import { restoreRows, rowsOf } from './rows.ts';

const [source, target] = await Promise.all([freshDatabase(), emptyDatabase()]);
for (const slug of ['acme', 'zenith']) await seedMember(source.database, await seedOrganization(source.database, slug));
afterAll(async () => {
  await source.drop();
  await target.drop();
});

async function ask(url: string, query: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: query, rowMode: 'array' })).rows.map(([value]) => value);
  } finally {
    await client.end();
  }
}

/** Parts of a schema, in the words of the server. */
const shape = `
  select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
  union all select tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
  union all select indexdef from pg_indexes where schemaname = 'public' order by 1`;
const rows = `select table_name || ' ' || (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || quote_ident(table_name), false, true, '')))[1]
  from information_schema.tables where table_schema = 'public' and table_name !~ '^(change_feed|log_relay|migration)' order by 1`;
const members = `select organization.slug || ' ' || app_user.email from membership
  join organization on organization.id = membership.organization_id join app_user on app_user.id = membership.user_id order by 1`;
const withoutPartitions = (found: unknown[]) => found.filter((one) => !/(change_feed|log_relay)_/.test(String(one)));

test('rows come back as they were, in tables that are checked as before, and a start finds nothing to do', async () => {
  await restoreRows(target.url, rowsOf(source.url));
  for (const query of [rows, members]) expect(await ask(target.url, query)).toEqual(await ask(source.url, query));
  expect((await ask(target.url, members)).length).toBe(2);
  expect(withoutPartitions(await ask(target.url, shape))).toEqual(withoutPartitions(await ask(source.url, shape)));
  expect(await migrate(target.url, () => {})).toEqual({ applied: [] });
});

test('a database that has tables is not restored into', async () => {
  await expect(restoreRows(source.url, rowsOf(source.url))).rejects.toThrow(/overwrites none; name an empty one/);
  expect((await ask(source.url, members)).length).toBe(2);
});
