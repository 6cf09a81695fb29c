import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';
import { openDatabase } from '../postgres/database.ts';
import { drift } from './drift.ts';
import { migrations, migrationsIn } from './index.ts';
import { migrate } from './migrate.ts';
import { schemaState } from './schema-state.ts';

test('two that migrate at once: one does it, the other waits and does nothing', async () => {
  const empty = await emptyDatabase();
  const results = await Promise.all([1, 2].map(() => migrate(empty.url, () => undefined)));
  expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, migrations.length]);
  const database = await openDatabase({ url: empty.url, applicationName: 'test', poolMax: 1 });
  expect(await schemaState(database)).toBe('current');
  const { rows } = await sql<{
    installations: number;
  }>`select count(*)::int as installations from installation`.execute(database.kysely);
  expect(rows).toEqual([{ installations: 1 }]);
  await database.close();
  await empty.drop();
});

test('the schema of an empty database is behind, one with an unknown migration is ahead and is refused', async () => {
  const empty = await emptyDatabase();
  const database = await openDatabase({ url: empty.url, applicationName: 'test', poolMax: 1 });
  expect(await schemaState(database)).toBe('behind');
  const told: string[] = [];
  await migrate(empty.url, (message) => told.push(message));
  expect(told).toHaveLength(migrations.length);
  await sql`insert into migration (name) values ('Migration29990101000000_later')`.execute(database.kysely);
  expect(await schemaState(database)).toBe('ahead');
  await expect(migrate(empty.url, () => undefined)).rejects.toThrow('a newer version');
  await database.close();
  await empty.drop();
});

test('entities and migrations say the same', async () => {
  const empty = await emptyDatabase();
  expect(await drift(empty.url)).toBeUndefined();
  await empty.drop();
});

test.each([
  'alter table team drop column slug',
  'alter table team_member drop constraint team_member_organization_id_user_id_foreign',
  'alter table deletion drop constraint deletion_state_check',
  'drop index organization_slug_unique',
  'alter table change_feed drop column project_id',
  'create table stranger (id int)',
])('a difference is found: %s', async (statement) => {
  const fresh = await freshDatabase();
  await sql.raw(statement).execute(fresh.database.kysely);
  expect(await drift(fresh.url)).toContain('differ');
  await fresh.drop();
});

test('a tenant foreign key includes the organization', async () => {
  const fresh = await freshDatabase();
  const { rows } = await sql<{ name: string; columns: string }>`
    select c.conname as name, pg_get_constraintdef(c.oid) as columns
    from pg_constraint c
    where c.contype = 'f'
      and exists (select from pg_attribute where attrelid = c.conrelid and attname = 'organization_id' and not attisdropped)
      and exists (select from pg_attribute where attrelid = c.confrelid and attname = 'organization_id' and not attisdropped)
      and pg_get_constraintdef(c.oid) not like 'FOREIGN KEY (organization_id,%'
  `.execute(fresh.database.kysely);
  expect(rows).toEqual([]);
  await fresh.drop();
});

test('every migration there is a file of is in the list, in the order of its time', async () => {
  const files = (await readdir(import.meta.dirname)).filter((file) => /^Migration.*\.ts$/.test(file));
  expect(migrations.map(({ name }) => `${name}.ts`)).toEqual(files.toSorted());
});

test('migrations run in the order of their times, whatever was released first among them', () => {
  const names = migrations.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(names[0]).toBe('Migration20261120231124_first');
  expect(migrations.map(({ class: { name } }) => name)).toEqual(names);
});

test.each([
  ['Migration20270101000000_teams.ts', 'export class Teams {}', 'call its class Migration20270101000000_teams'],
  ['Migration20270101000000_teams.ts', 'export class Migration20270101000000_teams {}', 'exports no migration'],
  ['Migration_teams.ts', 'export class Migration_teams {}', 'Migration_teams.ts is no name of a migration'],
])('a file that would be left out or run out of order is refused by name: %s, %s', async (file, source, message) => {
  const folder = await mkdtemp(join(tmpdir(), 'ballast-migrations-'));
  await writeFile(join(folder, file), source);
  await expect(migrationsIn(pathToFileURL(`${folder}/`))).rejects.toThrow(message);
  await rm(folder, { recursive: true });
});
