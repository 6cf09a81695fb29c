import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { admit } from '../../../db/deployments/admission.ts';
import { countDurations, sweepStatistics } from '../../../db/deployments/statistics.ts';
import type { StageTime } from '../../../domain/deployments/states.ts';
import { ok } from '../../../test/api/client.ts';
import { ownApi } from '../../../test/api/own-api.ts';
import type { Call } from '../../../test/installation/running-api.ts';
import { countAgain } from '../../../test/seeds/count-again.ts';
import { type SeededPlace, seedRelease } from '../../../test/seeds/seed-place.ts';

const releases = new Map<string, string>();

const { api, ours } = await ownApi();

const dayMillis = 86_400_000;
/** Noon (UTC) so many days ago. */
const noon = (daysAgo: number) => new Date((Math.floor(Date.now() / dayMillis) - daysAgo + 0.5) * dayMillis);

async function get(path: string, as: Call['as'] = ours.tokens.viewer) {
  return ok(await api.as(as).get(`/deployments/${path}`));
}
const days = async (query: string, as?: Call['as']) =>
  (await get(`per-day?${query}`, as)).days as { date: string; deployments: number }[];
const total = async (query: string, as?: Call['as']) =>
  (await days(query, as)).reduce((sum, { deployments }) => sum + deployments, 0);

async function place(beside?: SeededPlace): Promise<SeededPlace> {
  const made = await ours.place(beside === undefined ? {} : { beside });
  releases.set(made.serviceId, (await seedRelease(api.database, made, 1)).id);
  return made;
}

async function create({ organizationId, projectId, environmentId, serviceId }: SeededPlace): Promise<string> {
  const id = uuid();
  const one = {
    id,
    environmentId,
    serviceId,
    releaseId: releases.get(serviceId) ?? '',
    kind: 'deploy' as const,
    queue: true,
  };
  await api.effect((creating) =>
    admit(creating, { organizationId, projectId }, { event: 'create', deployments: [one] }),
  );
  return id;
}

/** A deployment that was created then and is live, with these seconds in its stages. */
async function live(
  at: SeededPlace,
  created: Date,
  seconds: Partial<Record<StageTime['stage'], number>>,
  state: 'live' | 'failed' = 'live',
): Promise<void> {
  const id = await create(at);
  let now = created.getTime();
  const stages = Object.entries(seconds).map(([stage, long]) => {
    const startedAt = new Date(now).toISOString();
    now += long * 1_000;
    return { stage: stage as StageTime['stage'], startedAt, endedAt: new Date(now).toISOString() };
  });
  await api.rows.set(
    'deployment',
    { id },
    {
      ...{ state, finished_at: new Date(now), created_at: created },
      stages: sql`${JSON.stringify(stages)}::jsonb`,
    },
  );
  if (state === 'failed') return;
  await api.effect((ending) => countDurations(ending, { deploymentId: id, organizationId: at.organizationId }, stages));
}

/** The counters as the migration fills them from the deployments there are. */
async function migrated(): Promise<unknown[]> {
  await countAgain(api.database.kysely, api.databaseUrl);
  return await counters();
}

async function counters(): Promise<unknown[]> {
  const rows = await api.sql`
    select project_id, scope, day::text, durations from deployment_durations order by project_id, scope, day
  `;
  return rows;
}

test('every day of the window is told, also those without a deployment, whatever became of them', async () => {
  const here = await place();
  const beside = await place(here);
  const query = `projectId=${here.projectId}`;
  expect(await total(query)).toBe(0);
  const first = await create(here);
  await create(here);
  await create(beside);
  await ours.tokens.deployer.post(`/deployments/${first}/cancel`);
  const year = await days(query);
  expect(year).toHaveLength(371);
  expect(year.map(({ date }) => date)).toEqual(year.map(({ date }) => date).toSorted());
  const rows = await api.sql<{ today: string }>`select (now() at time zone 'UTC')::date::text as today`;
  expect(year.at(-1)).toEqual({ date: rows[0]?.today, deployments: 3 });
  expect(await days(`${query}&days=1`)).toHaveLength(1);
  expect(await days(`${query}&days=400`)).toHaveLength(400);
  expect(await total(`environmentId=${here.environmentId}`)).toBe(3);
  expect(await total(`serviceId=${here.serviceId}`)).toBe(2);
  expect(await total(`environmentId=${here.environmentId}&serviceId=${beside.serviceId}`)).toBe(1);
});

test('windows and bounds that are none are refused', async () => {
  for (const path of [
    'per-day?days=0',
    'per-day?days=401',
    'per-day?day=3',
    'stats?since=yesterday',
    'stats?since=2026-01-01',
  ]) {
    const answer = await ours.tokens.viewer.get(`/deployments/${path}`);
    expect(answer.status, path).toBe(422);
  }
});

test('a token of some projects sees the statistics of these alone', async () => {
  const [mine, other] = [await place(), await place()];
  await live(mine, noon(1), { queue: 1, start: 2 });
  await live(other, noon(1), { queue: 1, start: 20 });
  const limited = await ours.token('viewer', [mine.projectId]);
  expect(await total('', limited)).toBe(1);
  expect(await total(`projectId=${other.projectId}`, limited)).toBe(0);
  expect(await get('stats', limited)).toMatchObject({ medianSeconds: 3, sampleSize: 1 });
  expect(await get(`stats?serviceId=${other.serviceId}`, limited)).toMatchObject({ sampleSize: 0 });
  expect(await get('stats', ours.limited)).toMatchObject({
    medianSeconds: 0,
    p95Seconds: 0,
    sampleSize: 0,
    stages: [],
  });
});

test('a service counts in all its environments, an environment with all its services, and nothing twice', async () => {
  const here = await place();
  const beside = await place(here);
  const environmentId = uuid();
  const environment = { id: environmentId, project_id: here.projectId, name: 'Other', slug: 'other' };
  await api.rows.add('environment', {
    organization_id: here.organizationId,
    ...environment,
    production: false,
    namespace: environmentId,
    cluster_id: here.clusterId,
  });
  await live(here, noon(1), { queue: 1 });
  await live(beside, noon(1), { queue: 10 });
  await live({ ...here, environmentId }, noon(1), { queue: 100 });
  const { serviceId, projectId } = here;
  const told = async (query: string) => {
    const { medianSeconds, sampleSize } = await get(`stats?${query}`);
    return [sampleSize, medianSeconds, await total(query)];
  };
  expect(await told(`projectId=${projectId}`)).toEqual([3, 10, 3]);
  expect(await told(`serviceId=${serviceId}`)).toEqual([2, 50.5, 2]);
  expect(await told(`environmentId=${here.environmentId}`)).toEqual([2, 5.5, 2]);
  expect(await told(`environmentId=${environmentId}`)).toEqual([1, 100, 1]);
  expect(await told(`environmentId=${environmentId}&serviceId=${serviceId}`)).toEqual([1, 100, 1]);
  expect(await told(`environmentId=${environmentId}&serviceId=${beside.serviceId}`)).toEqual([0, 0, 0]);
});

test('durations leave out the approval, count stages apart, and begin at the bound', async () => {
  const here = await place();
  const query = `stats?environmentId=${here.environmentId}`;
  await live(here, noon(3), { approval: 5_000, queue: 1, prepare: 2, start: 7 });
  await live(here, noon(2), { queue: 1, prepare: 4, start: 15 });
  await live(here, noon(40), { queue: 1_000 });
  await live(here, noon(2), { queue: 1_000 }, 'failed');
  await create(here);
  expect(await get(query)).toMatchObject({
    ...{ medianSeconds: 15, p95Seconds: 19.5, sampleSize: 2 },
    stages: [
      { stage: 'approval', medianSeconds: 5_000, p95Seconds: 5_000, sampleSize: 1 },
      { stage: 'queue', medianSeconds: 1, p95Seconds: 1, sampleSize: 2 },
      { stage: 'prepare', medianSeconds: 3, p95Seconds: 3.9, sampleSize: 2 },
      { stage: 'start', medianSeconds: 11, p95Seconds: 14.6, sampleSize: 2 },
    ],
  });
  const since = async (at: Date) => (await get(`${query}&since=${at.toISOString()}`)).sampleSize;
  expect(await since(noon(41))).toBe(3);
  expect(await since(noon(2))).toBe(1);
  expect(await since(new Date(noon(2).getTime() + 1))).toBe(0);
});

test('many are counted in buckets, to within a hundredth, with the part of a day at the beginning', async () => {
  const here = await place();
  const { organizationId, projectId, environmentId, serviceId } = here;
  await api.sql`
    insert into deployment (id, organization_id, project_id, environment_id, service_id, release_id, kind, state,
      requested_by_kind, requested_by_id, requested_by_name, created_at, finished_at, stages)
    select gen_random_uuid(), ${organizationId}, ${projectId}, ${environmentId}, ${serviceId}, ${releases.get(serviceId)}, 'deploy',
      'live', 'user', 'u', 'Ada', at, at, jsonb_build_array(jsonb_build_object('stage', 'start', 'startedAt', at,
        'endedAt', at + make_interval(secs => n)))
    from generate_series(1, 1000) n, lateral (select ${noon(5)}::timestamptz + make_interval(mins => n * 5) as at) created
  `;
  await migrated();
  const query = `stats?serviceId=${serviceId}`;
  const whole = await get(query);
  expect(whole).toMatchObject({ sampleSize: 1_000, stages: [{ stage: 'start', sampleSize: 1_000 }] });
  expect(Math.abs((whole.medianSeconds as number) / 500.5 - 1)).toBeLessThan(0.011);
  expect(Math.abs((whole.p95Seconds as number) / 950 - 1)).toBeLessThan(0.011);
  // From the 101st on, in the middle of the first day: some of it is read, the rest counted.
  const part = await get(`${query}&since=${new Date(noon(5).getTime() + 101 * 300_000).toISOString()}`);
  expect(part).toMatchObject({ sampleSize: 900 });
  expect(Math.abs((part.medianSeconds as number) / 550.5 - 1)).toBeLessThan(0.011);
});

test('counters kept one by one are those that the migration fills, whatever the order and the day', async () => {
  const [one, two] = [await place(), await place()];
  const other = await place(two);
  for (const [at, daysAgo, start] of [
    [one, 3, 10],
    [two, 1, 7],
    [one, 9, 11],
    [one, 3, 10],
    [other, 5, 900],
    [two, 1, 0.2],
    [one, 0, 10],
    [two, 6, 70],
  ] as const) {
    await live(at, noon(daysAgo), { approval: 30 * daysAgo, queue: 1, start });
  }
  // The last moment of a day of UTC and the first one.
  for (const at of [-1, 0]) await live(one, new Date(noon(2).getTime() - dayMillis / 2 + at), { queue: 2 });
  const kept = await counters();
  expect(await migrated()).toEqual(kept);
});

test('a deployment counts on the day of UTC, to the millisecond', async () => {
  const here = await place();
  const midnight = noon(4).getTime() - dayMillis / 2;
  for (const at of [midnight - 1, midnight, midnight + dayMillis - 1]) await live(here, new Date(at), { queue: 1 });
  await migrated();
  const told = await days(`days=6&serviceId=${here.serviceId}`);
  expect(told.map(({ deployments }) => deployments)).toEqual([1, 2, 0, 0, 0, 0]);
});

test('counters older than any window are thinned to one for each month, and tell the same of all that is in a window', async () => {
  const here = await place();
  const old = [401, 410, 411, 440, 441, 442, 443, 500, 900];
  for (const daysAgo of [1, 30, 400, ...old]) await live(here, noon(daysAgo), { queue: daysAgo });
  await migrated();
  const query = `serviceId=${here.serviceId}`;
  const told = async () => [
    ...[await days(`${query}&days=400`), await get(`stats?${query}`)],
    await get(`stats?${query}&since=${noon(400.5).toISOString()}`),
  ];
  const rows = async () => {
    const rows = await api.sql<{ day: string }>`
      select day::text from deployment_durations where project_id = ${here.projectId} and scope = '' order by day
    `;
    return rows.map(({ day }) => day);
  };
  const [before, all] = [await told(), await rows()];
  await sweepStatistics(api.database.kysely);
  const left = await rows();
  expect(await told()).toEqual(before);
  const kept = noon(401).toISOString().slice(0, 10);
  const lastOfMonth = (day: string) => day === all.filter((one) => one.slice(0, 7) === day.slice(0, 7)).at(-1);
  expect(left).toEqual(all.filter((day) => day >= kept || lastOfMonth(day)));
  expect(left.length).toBeLessThan(all.length);
  const counted = await api.sql<{ first: string }>`
    select min(day)::text as first from deployment_day where project_id = ${here.projectId}
  `;
  expect(counted[0]?.first).toBe(kept);
  await sweepStatistics(api.database.kysely);
  expect(await rows()).toEqual(left);
});
