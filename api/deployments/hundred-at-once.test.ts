import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { until } from '../../test/ground/until.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import { seedRelease } from '../../test/seeds/seed-place.ts';

const requests = 100;
/** Of a statement for a lock: after so many in vain the lock is held for longer than that. */
const inVain = 20;

const api = await runningApi({ lockTimeoutMillis: 200 });
const twin = await api.twin();
const ours = await api.organization();
const place = await ours.place();
afterAll(async () => {
  await twin.close();
  await api.close();
});

test('a hundred deployments of a project at once are all accepted, though its lock is held for long', async () => {
  const release = await seedRelease(api.database, place, 1);
  const { organizationId, environmentId, serviceId, projectId } = place;
  await api.rows.set(
    'environment_service',
    { organization_id: organizationId, service_id: serviceId },
    { live_release_id: release.id },
  );
  const asked: Promise<{ status: number; text: string }>[] = [];
  const body = { environmentId, queue: true };
  let early = 0;
  await twin.database.kysely.transaction().execute(async (holding) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`admission ${projectId}`}, 0))`.execute(holding);
    for (let count = 0; count < requests; count += 1) {
      const one = ours.tokens.deployer.post(`/services/${serviceId}/redeploy`, body);
      void one.then(() => (early += 1));
      asked.push(one);
    }
    // The lock is refused again and again, and nobody is answered.
    let refused = 0;
    let before = 0;
    await until('the lock was refused often', async () => {
      const waiting = await lockWaiters(twin.database);
      if (waiting !== before) refused += 1;
      before = waiting;
      return refused > inVain || early > 0;
    });
    expect(early).toBe(0);
    // Others find connections meanwhile.
    expect((await ours.tokens.admin.get('/organizations')).status).toBe(200);
  });
  const answered = await Promise.all(asked);
  expect(answered.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([]);
});
