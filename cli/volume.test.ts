import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../test/clusters/joined-cluster.ts';

const joined = await joinedCluster();
const { ballast } = joined;
await ballast(['project', 'create', 'Shop']);
await ballast(['service', 'create', 'Store', '--port', '3000']);
afterAll(() => joined.close());

test('a volume is added, listed, grown and removed, each time staged in its environment', async () => {
  expect((await ballast(['volume', 'list'])).out).toBe('store has no volumes in staging.\n');
  const added = await ballast(['volume', 'add', 'data=/data', '--size', '10G']);
  expect(added.out).toMatch(/^store +Volume data of web /m);
  expect(added.err).toContain('`./ballast deploy --staged` applies them in staging.');
  expect((await ballast(['volume', 'list'])).out).toMatch(/^data +web +\/data +10G +- +- +-$/m);
  const nested = await ballast(['volume', 'add', 'logs=/data/logs', '--size', '1G']);
  expect(nested).toMatchObject({ code: 1, err: expect.stringContaining('overlaps with the volume "data"') });
  const grown = await ballast(['volume', 'grow', 'data', '20G']);
  expect(grown.out).toMatch(/^store +Size of the volume data +10737418240 +21474836480 /m);
  expect(await ballast(['volume', 'grow', 'data', '1G'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('a volume only grows'),
  });
  const scaled = await ballast(['service', 'set', 'replicas=2']);
  expect(scaled).toMatchObject({ code: 1, err: expect.stringContaining('the volume "data"') });
  expect((await ballast(['volume', 'remove', 'data'])).out).not.toContain('data');
  expect((await ballast(['volume', 'list', '--json'])).out).toContain('"volumes": []');
});

test('a word that is no volume or no size is refused before anything is asked', async () => {
  expect(await ballast(['volume', 'add', 'data', '--size', '1G'])).toMatchObject({ code: 2 });
  expect(await ballast(['volume', 'add', 'data=/data'])).toMatchObject({ code: 2 });
  const unknown = await ballast(['volume', 'remove', 'nothing']);
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('there is: none') });
});
