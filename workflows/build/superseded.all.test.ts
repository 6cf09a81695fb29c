import { afterAll, beforeAll, expect, test } from 'vitest';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';

const builds = new BuildGround();
beforeAll(() => builds.open());
afterAll(() => builds.close());

const commit = (sign: string) => sign.repeat(40);

test('the place of one that is superseded goes to whose turn it is then', async () => {
  const place = await builds.place();
  const others = [await builds.place({ beside: place }), await builds.place({ beside: place })] as const;
  const [one, two] = [await builds.request(others[0]), await builds.request(others[1])];
  await builds.becomes(one, 'running');
  await builds.becomes(two, 'running');
  const first = await builds.requestCommit(place, { commit: commit('1') });
  const next = await builds.request(await builds.place({ beside: place }));
  await builds.stop();
  await builds.ends(one, 'failed', 'no');
  await builds.requestCommit(place, { commit: commit('2') });
  await builds.deliver(first);
  await builds.serve();
  expect(await builds.handle(one).result()).toBe('failed');
  for (const id of [first, next]) await builds.deliver(id);
  await builds.becomes(next, 'running');
  expect((await builds.row(first)).state).toBe('superseded');
});
