import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { makeMigration, writeMigration } from './make-migration.ts';

const folder = await mkdtemp(join(tmpdir(), 'ballast-make-migration-'));
afterAll(() => rm(folder, { recursive: true }));

test('entities as the migrations left them need none, and the scratch database is gone', async () => {
  expect(await makeMigration(inject('ground').postgres, 'nothing', folder)).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
  const { database, drop } = await freshDatabase();
  const { rows } = await sql`select datname from pg_database where datname like 'ballast_scratch_%'`.execute(
    database.kysely,
  );
  expect(rows).toEqual([]);
  await drop();
});

test('a column, a key and a table that entities have beyond the database are added, and taken back by its down', async () => {
  const { url, database, drop } = await freshDatabase();
  await sql`alter table team drop column name`.execute(database.kysely);
  await sql`drop table agent_update`.execute(database.kysely);
  const file = await writeMigration(url, 'add-name', folder);
  expect(file).toMatch(/^Migration\d{14}_add_name\.ts$/);
  const text = await readFile(join(folder, file ?? ''), 'utf8');
  const [up = '', down = ''] = text.split('override down()');
  expect(up).toContain('alter table "team" add "name" text not null');
  expect(up).toContain('create table "agent_update"');
  expect(up).toContain('add constraint "agent_update_organization_id_cluster_id_foreign"');
  // Nothing else differs: partitions, which no entity names, least of all.
  expect(down.match(/addSql.*/g)).toEqual([
    'addSql(`drop table if exists "agent_update" cascade;`);',
    'addSql(`alter table "team" drop constraint "team_organization_id_name_unique";`);',
    'addSql(`alter table "team" drop column "name";`);',
  ]);
  await drop();
});
