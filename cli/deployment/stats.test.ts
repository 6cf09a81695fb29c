import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { countDurations } from '../../db/deployments/statistics.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { StageTime } from '../../domain/deployments/states.ts';
import { joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { machine } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedDeployment, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const joined = await joinedCluster();
afterAll(() => joined.close());

const dayMillis = 86_400_000;

/** A deployment that was created so many days ago and is live, with these seconds in its stages. */
async function live(place: SeededPlace, releaseId: string, daysAgo: number, seconds: Record<string, number>) {
  const { database } = joined.api;
  const { organizationId } = place;
  const created = new Date(Date.now() - daysAgo * dayMillis);
  let now = created.getTime();
  const stages = Object.entries(seconds).map(([stage, long]) => {
    const startedAt = new Date(now).toISOString();
    now += long * 1_000;
    return { stage: stage as StageTime['stage'], startedAt, endedAt: new Date(now).toISOString() };
  });
  const id = await seedDeployment(database, place, releaseId, {
    ...{ created_at: created, finished_at: new Date(now) },
    stages: sql`${JSON.stringify(stages)}::jsonb` as never,
  });
  await effect(database, machine, (one) => countDurations(one, { deploymentId: id, organizationId }, stages));
}

test('tells median and 95th percentile of the whole and of each stage, of what its options name', async () => {
  const { api, ours } = joined;
  const place = await seedPlace(api.database, ours.organizationId);
  const beside = await seedPlace(api.database, ours.organizationId, { beside: place });
  const [one, other] = [await seedRelease(api.database, place, 1), await seedRelease(api.database, beside, 1)];
  await live(place, one.id, 1, { approval: 60, queue: 1, start: 2 });
  await live(place, one.id, 2, { queue: 1, start: 4 });
  await live(place, one.id, 40, { queue: 1, start: 90 });
  await live(beside, other.id, 1, { queue: 1, start: 600 });
  const own = tenant(api.database.kysely, ours.organizationId);
  const { slug: project } = await own
    .selectFrom('project')
    .select('slug')
    .where('id', '=', place.projectId)
    .executeTakeFirstOrThrow();
  const services = await own.selectFrom('service').select(['id', 'slug']).execute();
  const service = services.find(({ id }) => id === place.serviceId)?.slug ?? '';
  const stats = (...words: string[]) => joined.ballast(['deployment', 'stats', ...words]);
  const where = ['--project', project, '--environment', 'staging', '--service', service];
  const since = new Date(Date.now() - 50 * dayMillis).toISOString();
  const [told, whole, longer, empty, ...refused] = await Promise.all([
    ...[stats(...where), stats('--json'), stats(...where, '--since', since, '--json')],
    stats('--since', new Date(Date.now() + dayMillis).toISOString()),
    ...[
      stats('--since', 'yesterday'),
      stats('--project', 'nowhere'),
      stats('--service', service, '--project', project),
    ],
  ]);
  expect(told?.err).toBe(`${project} / staging / ${service}, seconds\n`);
  expect(told?.out.split('\n').map((line) => line.trim().split(/\s{2,}/))).toEqual([
    ['stage', 'median', 'p95', 'deployments'].map((head) => expect.stringMatching(new RegExp(head, 'i'))),
    ['total', '4.0', '4.9', '2'],
    ['approval', '60.0', '60.0', '1'],
    ['queue', '1.0', '1.0', '2'],
    ['start', '3.0', '3.9', '2'],
    [''],
  ]);
  expect(JSON.parse(whole?.out ?? '')).toMatchObject({ medianSeconds: 5, sampleSize: 3 });
  expect(JSON.parse(longer?.out ?? '')).toMatchObject({ medianSeconds: 5, sampleSize: 3 });
  expect(empty).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^No deployment of \S+ went live in that time\.\n$/),
  });
  expect(refused.map(({ code, err }) => [code, err])).toEqual([
    [2, expect.stringContaining('--since wants a time')],
    [2, expect.stringContaining('nowhere')],
    [0, expect.stringContaining(service)],
  ]);
});
