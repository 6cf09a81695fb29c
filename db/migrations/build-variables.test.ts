import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';
import { tenant } from '../postgres/tenant.ts';
import { migrate } from './migrate.ts';

/** As an earlier version left them. */
const earlier = `
  alter table build drop connected, drop approved_by_id, drop approved_by_name, drop variables_digest;
  alter table change_set_item drop build_time, drop from_build_time;
  alter table shared_variable drop build_time;
  alter table variable drop build_time;
  delete from migration where name like '%_build_variables'`;

test('plain variables with public names go on to builds, and of all others nobody has said yet whether they do', async () => {
  const { database, url, drop } = await freshDatabase();
  const { kysely } = database;
  const { organizationId, environmentId, serviceId } = await seedPlace(database, await seedOrganization(database));
  for (const statement of earlier.split(';')) await sql.raw(statement).execute(kysely);
  const own = tenant(kysely, organizationId);
  const of = { environment_id: environmentId, service_id: serviceId, updated_by: 'Ada' };
  await own
    .insertInto('variable')
    .values([
      { ...of, key: 'VITE_API', value: 'https://example.com' },
      { ...of, key: 'VITE_HIDDEN', value: '', sealed: Buffer.from('sealed') },
      { ...of, key: 'VITE_LEADS', value: '${{TOKEN}}', refers: ['TOKEN'] },
      { ...of, key: 'INVITE_API', value: 'x' },
      { ...of, key: 'VITE_', value: 'x' },
      { ...of, key: 'TOKEN', value: '', sealed: Buffer.from('sealed') },
    ])
    .execute();
  await own
    .insertInto('shared_variable')
    .values({ environment_id: environmentId, key: 'NEXT_PUBLIC_SITE', value: 'x', updated_by: 'Ada' })
    .execute();
  await migrate(url, () => undefined);
  const { rows } = await sql<{ key: string }>`
    select key from variable where organization_id = ${organizationId} and build_time = 'also'
    union all
    select key from shared_variable where organization_id = ${organizationId} and build_time = 'also'
  `.execute(kysely);
  expect(rows.map(({ key }) => key).toSorted()).toEqual(['NEXT_PUBLIC_SITE', 'VITE_API']);
  await drop();
});
