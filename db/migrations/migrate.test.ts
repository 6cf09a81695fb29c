import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { emptyDatabase } from '../../test/ground/fresh-database.ts';
import { wholeDatabase } from '../../test/ground/whole-database.ts';
import { openDatabase } from '../postgres/database.ts';
import { drift } from './drift.ts';
import { migrations, migrationsIn } from './index.ts';
import { migrate } from './migrate.ts';
import { schemaState } from './schema-state.ts';

const empty = await emptyDatabase();
const database = wholeDatabase(await openDatabase({ url: empty.url, applicationName: 'test', poolMax: 1 }));
afterAll(async () => {
  await database.close();
  await empty.drop();
});

// One database goes through these, since applying all migrations is most of what they cost.
describe('an empty database', () => {
  test('is behind; of two that migrate it at once one does it, the other waits and does nothing', async () => {
    expect(await schemaState(database)).toBe('behind');
    const told: string[] = [];
    const results = await Promise.all([1, 2].map(() => migrate(empty.url, (message) => told.push(message))));
    expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, migrations.length]);
    expect(told).toHaveLength(migrations.length);
    expect(await schemaState(database)).toBe('current');
    const { rows } = await sql<{
      installations: number;
    }>`select count(*)::int as installations from installation`.execute(database.kysely);
    expect(rows).toEqual([{ installations: 1 }]);
  });

  test('is then as the entities say', async () => {
    expect(await drift(empty.url)).toBeUndefined();
  });

  test('has the organization in each tenant foreign key', async () => {
    const { rows } = await sql<{ name: string; columns: string }>`
      select c.conname as name, pg_get_constraintdef(c.oid) as columns
      from pg_constraint c
      where c.contype = 'f'
        and exists (select from pg_attribute where attrelid = c.conrelid and attname = 'organization_id' and not attisdropped)
        and exists (select from pg_attribute where attrelid = c.confrelid and attname = 'organization_id' and not attisdropped)
        and pg_get_constraintdef(c.oid) not like 'FOREIGN KEY (organization_id,%'
    `.execute(database.kysely);
    expect(rows).toEqual([]);
  });

  test('differs from the entities in whatever is changed by hand, and each difference is found', async () => {
    const changes = [
      'alter table team drop column slug',
      'alter table team_member drop constraint team_member_organization_id_user_id_foreign',
      'alter table deletion drop constraint deletion_state_check',
      'drop index organization_slug_unique',
      'alter table change_feed drop column project_id',
      'create table stranger (id int)',
    ];
    for (const change of changes) await sql.raw(change).execute(database.kysely);
    const found = await drift(empty.url);
    expect(found).toContain('differ');
    const needed = [
      /alter table "team" add "slug"/,
      /team_member_organization_id_user_id_foreign/,
      /deletion_state_check/,
      /organization_slug_unique/,
      /alter table "change_feed" add "project_id"/,
      /drop table if exists "stranger"/,
    ];
    for (const part of needed) expect(found).toMatch(part);
  });

  test('is ahead and refused with an unknown migration', async () => {
    await sql`insert into migration (name) values ('Migration29990101000000_later')`.execute(database.kysely);
    expect(await schemaState(database)).toBe('ahead');
    await expect(migrate(empty.url, () => undefined)).rejects.toThrow('a newer version');
  });
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
