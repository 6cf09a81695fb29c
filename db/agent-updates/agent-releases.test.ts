import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { currentRelease, listReleases, storeRelease } from './agent-releases.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

const release = (number: number) => ({
  image: `ballast-agent:${number}.0.0`,
  version: `${number}.0.0`,
  digest: `sha256:${number}`,
  bytes: Buffer.from([number]),
  proof: {},
});

test('the release that was offered last is the current one, however quickly one follows the other', async () => {
  await fresh.database.kysely.transaction().execute(async (atOnce) => {
    for (const number of [3, 1, 2, 1, 3, 2]) {
      await storeRelease(atOnce, release(number));
      expect((await currentRelease(atOnce))?.image).toBe(release(number).image);
    }
  });
  const images = (await listReleases(fresh.database.kysely)).map(({ image }) => image);
  expect(images).toEqual([2, 3, 1].map((number) => release(number).image));
});
