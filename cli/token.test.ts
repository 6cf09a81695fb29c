import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../test/clusters/joined-cluster.ts';

const joined = await joinedCluster();
for (const name of ['Shop', 'Blog', 'Wiki']) await joined.ballast(['project', 'create', name]);
afterAll(() => joined.close());

test('a token is limited to projects by their slugs, and a slug that is none names those that there are', async () => {
  const { api, ours, ballast } = joined;
  const env = { DATABASE_URL: api.databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const words = ['token', 'create', '--name', 'ci', '--role', 'deployer', '--organization', ours.slug];
  const unknown = await ballast([...words, '--project', 'shop', '--project', 'none'], { env });
  expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/no project "none".*there is: /) });
  const made = await ballast([...words, '--project', 'shop', '--project', 'wiki'], { env });
  expect([made.code, made.err]).toEqual([0, expect.stringContaining('Token "ci" (deployer)')]);
  const listed = await ballast(['project', 'list', '--json'], { env: { BALLAST_TOKEN: made.out.trim() } });
  const slugs = JSON.parse(listed.out).projects.map(({ slug }: { slug: string }) => slug);
  expect(slugs.toSorted()).toEqual(['shop', 'wiki']);
});
