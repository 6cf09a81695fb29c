import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';
import { until } from '../../test/ground/until.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';

const builds = new BuildGround();
beforeAll(() => builds.open());
afterAll(() => builds.close());

let place: SeededPlace;
beforeEach(async () => {
  place = await builds.place();
});

const commit = (sign: string) => sign.repeat(40);
const supersededBy = async (id: string) => {
  const row = builds.actors.database.kysely.selectFrom('build').select('superseded_by as by').where('id', '=', id);
  return (await row.executeTakeFirst())?.by;
};

test('a newer commit takes the place of those of its branch that wait, and of nothing else', async () => {
  const running = await builds.requestCommit(place, { commit: commit('1') });
  await builds.becomes(running, 'running');
  const waiting = await builds.requestCommit(place, { commit: commit('2') });
  await until('it waits', async () => (await builds.row(waiting)).message !== null);
  const others = [
    await builds.requestCommit(place, { commit: commit('2'), ref: 'refs/tags/main' }),
    await builds.request(place),
    await builds.requestCommit(await builds.place({ beside: place }), { commit: commit('2') }),
  ];
  const newer = await builds.requestCommit(place, { commit: commit('3') });
  await builds.deliver(waiting);
  expect(await builds.handle(waiting).result()).toBe('superseded');
  const { message, state } = await builds.row(waiting);
  expect([state, message, await supersededBy(waiting)]).toEqual([
    'superseded',
    expect.stringMatching(/^Build #5 of the same branch/),
    newer,
  ]);
  expect(await builds.row(newer)).toMatchObject({ branch: 'main', commitSha: commit('3'), repository: 'team/app' });
  expect((await builds.row(running)).state).toBe('running');
  for (const id of others) expect((await builds.row(id)).state).not.toBe('superseded');
});

test('an image alone does not take the place of what is to be deployed, and builds of change sets are left alone', async () => {
  await builds.becomes(await builds.requestCommit(place, { commit: commit('1') }), 'running');
  const deployed = await builds.requestCommit(place, { commit: commit('2'), trigger: 'manual' });
  const alone = await builds.requestCommit(place, { commit: commit('3'), trigger: 'manual', deploys: false });
  expect((await builds.row(deployed)).state).toBe('queued');
  const changeSetId = randomUUID();
  await tenantRow(builds.actors.database, 'change_set', builds.organizationId, {
    id: changeSetId,
    project_id: place.projectId,
    environment_id: place.environmentId,
    ...{ state: 'applying', source: 'api', requested_by_kind: 'machine', requested_by_id: 'x', requested_by_name: 'x' },
  });
  const member = await builds.requestCommit(place, { commit: commit('4'), trigger: 'change-set', changeSetId });
  expect([(await builds.row(deployed)).state, (await builds.row(alone)).state]).toEqual(['queued', 'queued']);
  await builds.requestCommit(place, { commit: commit('5') });
  const states = await Promise.all([deployed, alone, member].map(async (id) => (await builds.row(id)).state));
  expect(states).toEqual(['superseded', 'superseded', 'queued']);
});

test('a push of the commit that is built already is that build; on demand it is built again', async () => {
  const first = await builds.requestCommit(place, { commit: commit('1') });
  expect(await builds.requestCommit(place, { commit: commit('1') })).toBe(first);
  await builds.becomes(first, 'running');
  expect(await builds.requestCommit(place, { commit: commit('1') })).toBe(first);
  expect(await builds.requestCommit(place, { commit: commit('1'), trigger: 'manual' })).not.toBe(first);
  const between = await builds.requestCommit(place, { commit: commit('2') });
  // Pushed back by force: the last commit asked for is the last one deployed.
  const back = await builds.requestCommit(place, { commit: commit('1') });
  expect([first, between]).not.toContain(back);
  expect(await supersededBy(between)).toBe(back);
});

test('a push after settings were applied is built, although its commit is being built', async () => {
  const first = await builds.requestCommit(place, { commit: commit('1') });
  await builds.becomes(first, 'running');
  await tenantRow(builds.actors.database, 'change_set', builds.organizationId, {
    project_id: place.projectId,
    environment_id: place.environmentId,
    ...{ state: 'applied', source: 'api', requested_by_kind: 'machine', requested_by_id: 'x', requested_by_name: 'x' },
    applied_at: new Date(Date.now() + 1_000),
  });
  expect(await builds.requestCommit(place, { commit: commit('1') })).not.toBe(first);
});
