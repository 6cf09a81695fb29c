import { afterAll, beforeAll, expect, test } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import { buildsAtOnce } from '../../domain/builds/states.ts';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';
import { until } from '../../test/ground/until.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

const builds = new BuildGround();
beforeAll(() => builds.open());
afterAll(() => builds.close());

test('beside 40 builds of another project one starts when the next place is free', async () => {
  const first = await builds.place();
  const many: SeededPlace[] = [first];
  while (many.length < 40) many.push(await builds.place({ beside: first }));
  const other = await builds.place();
  await tenant(builds.actors.database.kysely, builds.organizationId)
    .updateTable('environment')
    .set({ cluster_id: first.clusterId })
    .where('id', '=', other.environmentId)
    .execute();
  const ids: string[] = [];
  for (const place of many) ids.push(await builds.request(place));
  const running = async () => {
    const states = await Promise.all(ids.map(async (id) => ({ id, state: (await builds.row(id)).state })));
    return states.filter(({ state }) => state === 'running').map(({ id }) => id);
  };
  await until('the places are taken', async () => (await running()).length === buildsAtOnce);
  const one = await builds.request(other);
  await until('it waits', async () => (await builds.row(one)).message !== null);
  const [ended = ''] = await running();
  await builds.ends(ended, 'failed', 'It does not matter.');
  await builds.handle(ended).result();
  await builds.deliver(one);
  await builds.becomes(one, 'running');
  expect(await running()).toHaveLength(buildsAtOnce - 1);
});
