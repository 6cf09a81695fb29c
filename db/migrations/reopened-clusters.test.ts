import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { createCluster, findLocalCluster } from '../clusters/clusters.ts';
import { effect } from '../engine/effect.ts';
import { migrate } from './migrate.ts';

test('clusters that an earlier version ended as failed are open again, the one with the agent of this machine as local', async () => {
  const { database, url, drop } = await freshDatabase();
  const { kysely } = database;
  const organizationId = await seedOrganization(database);
  const cluster = async (name: string, local: boolean) =>
    (await effect(database, machine, (making) => createCluster(making, { organizationId, name, local }))).id;
  const end = (id: string, state: string, contact: string) =>
    sql`
      with ended as (update cluster set state = ${state}, finished_at = now(), message = 'It failed.' where id = ${id})
      update cluster_agent set contact = ${contact}, enrolled_at = now() where cluster_id = ${id}
    `.execute(kysely);
  const local = await cluster('Local', true);
  await end(local, 'failed', 'connected');
  const empty = await cluster('Local', true);
  const berlin = await cluster('Berlin', false);
  await end(berlin, 'failed', 'never');
  const deleted = await cluster('Potsdam', false);
  await end(deleted, 'deleted', 'never');

  await sql`delete from migration where name like '%_reopened_clusters'`.execute(kysely);
  await migrate(url, () => undefined);
  const rows = await kysely
    .selectFrom('cluster')
    .select(['id', 'state', 'slug', 'local', 'message', 'finished_at'])
    .orderBy('id')
    .execute();
  const of = (wanted: string) => rows.find(({ id }) => id === wanted);
  expect(of(local)).toMatchObject({ state: 'ready', local: true, message: null, finished_at: null });
  expect(of(local)?.slug).toBe(`local-${local.slice(-8)}`);
  expect(of(empty)).toMatchObject({ slug: 'local', local: false, state: 'awaiting-agent' });
  expect(of(berlin)).toMatchObject({ slug: 'berlin', local: false, state: 'awaiting-agent', finished_at: null });
  expect(of(deleted)).toMatchObject({ state: 'deleted', finished_at: expect.any(Date) });
  expect((await findLocalCluster(kysely))?.id).toBe(local);
  await drop();
});
