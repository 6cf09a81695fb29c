import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../../test/clusters/joined-cluster.ts';

/** A directory below one that was linked. */

const joined = await joinedCluster();
const { ballast } = joined;
const linked = join(joined.directory, 'shop');
const inside = join(linked, 'deep', 'below');
mkdirSync(inside, { recursive: true });
afterAll(() => joined.close());

test('a project is created with its environments, listed and shown', async () => {
  expect((await ballast(['project', 'list'])).out).toContain('There is no project yet');
  expect(await ballast(['project', 'create', 'Web Shop', '--description', 'Sells'])).toEqual({
    code: 0,
    out: 'The project web-shop has the environments production and staging.\n',
    err: '',
  });
  await ballast(['project', 'create', 'Other']);
  expect((await ballast(['project', 'list', '-q', 'sells'])).out).toMatch(/^web-shop +Web Shop .*Sells$/m);
  const shown = await ballast(['project', 'show', '--project', 'Web Shop']);
  expect(shown.out).toMatch(/^production +Production +production/m);
  const json = await ballast(['project', 'show', '-p', 'web-shop', '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ project: { slug: 'web-shop' }, environments: [{}, {}] });
});

test('a project is given more deployments at once; a number out of range and nothing to change are refused', async () => {
  const set = (...words: string[]) => ballast(['project', 'set', '-p', 'web-shop', ...words]);
  expect(await set('--deploy-concurrency', '25')).toEqual({
    code: 0,
    out: 'web-shop is changed; it runs 25 deployments at once.\n',
    err: '',
  });
  expect((await ballast(['project', 'show', '-p', 'web-shop'])).out).toMatch(/^at once +25 deployments$/m);
  expect(await set('--deploy-concurrency', '101')).toMatchObject({ code: 2, err: expect.stringContaining('"101"') });
  expect(await set()).toMatchObject({ code: 2, err: expect.stringContaining('Nothing to change') });
});

test('an environment is created on a cluster, listed and shown', async () => {
  const create = ['env', 'create', 'Load test', '--cluster', 'berlin', '-p', 'web-shop'];
  expect(await ballast(create)).toEqual({ code: 0, out: 'web-shop has the environment load-test.\n', err: '' });
  expect(await ballast([...create.slice(0, -3), 'paris', '-p', 'web-shop'])).toMatchObject({
    code: 2,
    err: 'ballast: There is no cluster "paris"; there is: berlin.\n',
  });
  const listed = await ballast(['env', 'list', '-p', 'web-shop']);
  expect(listed.out).toMatch(new RegExp(`^load-test +Load test +persistent +${joined.clusterId}`, 'm'));
  const shown = await ballast(['env', 'show', '-p', 'web-shop']);
  expect(shown.out).toMatch(/^environment +staging "Staging"/m);
});

test('a directory remembers where it belongs, and those below it do', async () => {
  const nowhere = await ballast(['env', 'show'], { cwd: inside });
  expect(nowhere).toMatchObject({
    code: 2,
    err: 'ballast: There are several projects; say which one by --project: web-shop, other.\n',
  });
  const done = await ballast(['link', '--project', 'web-shop', '--environment', 'production'], { cwd: linked });
  expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/\.ballast\/project says so now\.$/m) });
  const { slug } = joined.ours;
  expect(JSON.parse(readFileSync(join(linked, '.ballast', 'project'), 'utf8'))).toEqual({
    organization: slug,
    project: 'web-shop',
    environment: 'production',
  });
  const shown = await ballast(['env', 'show', '--json'], { cwd: inside });
  expect(JSON.parse(shown.out)).toMatchObject({ slug: 'production', production: true });
  const elsewhere = await ballast(['env', 'show', '--project', 'other', '--json'], { cwd: inside });
  expect(JSON.parse(elsewhere.out)).toMatchObject({ slug: 'staging' });
});

test('a file of another organization, or one that cannot be read, is refused', async () => {
  const file = join(linked, '.ballast', 'project');
  writeFileSync(file, JSON.stringify({ organization: 'beta', project: 'web-shop' }));
  const other = await ballast(['env', 'show'], { cwd: inside });
  expect(other).toMatchObject({ code: 2, err: expect.stringContaining('is of the organization beta, and this token') });
  writeFileSync(file, '{"project": 1}');
  const broken = await ballast(['env', 'show'], { cwd: inside });
  expect(broken).toMatchObject({ code: 2, err: expect.stringContaining('writes it anew') });
});
