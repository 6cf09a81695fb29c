import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { seedAgent } from '../../test/seeds/seed-cluster.ts';
import { createCluster } from '../clusters/clusters.ts';
import { effect } from '../engine/effect.ts';
import { beat } from '../engine/processes/processes.ts';
import { openDatabase } from '../postgres/database.ts';
import { declareLost } from './lost-agents.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

test('an agent whose row somebody keeps locked keeps no other one from being declared lost', async () => {
  const { kysely } = fresh.database;
  const organizationId = await seedOrganization(fresh.database);
  const ids: string[] = [];
  for (const name of ['Berlin', 'Paris', 'Rome']) {
    const { id } = await effect(fresh.database, machine, (making) => createCluster(making, { organizationId, name }));
    await seedAgent(fresh.database, id, 'ballast-agent:1');
    ids.push(id);
  }
  await beat(kysely, { id: uuid(), kind: 'api', version: '1', state: {} });
  await sql`update process set present_since = now() - interval '5 minutes'`.execute(kysely);
  await sql`update cluster_agent set last_heartbeat_at = now() - interval '5 minutes'`.execute(kysely);
  const options = { url: fresh.url, applicationName: 'ballast test', poolMax: 2, lockTimeoutMillis: 50 };
  const sweeping = await openDatabase(options);
  try {
    await kysely.transaction().execute(async (holding) => {
      await holding
        .selectFrom('cluster_agent')
        .select('contact')
        .where('cluster_id', '=', ids[0] ?? '')
        .forUpdate()
        .execute();
      expect(await declareLost(sweeping)).toBe(2);
    });
    expect(await declareLost(sweeping)).toBe(1);
  } finally {
    await sweeping.close();
  }
});
