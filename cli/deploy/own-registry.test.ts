import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JoinedCluster, joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';
import { pushLayout } from '../image/push-layout.ts';

let joined: JoinedCluster;
/** Without the programs of this machine: a Docker engine may be among them. */
let ballast: JoinedCluster['ballast'];
let repository: string;
let digest: string;

beforeAll(async () => {
  joined = await joinedCluster();
  const { api, ours, directory } = joined;
  const nowhere = join(directory, 'bin');
  mkdirSync(nowhere);
  ballast = (words, more = {}) => joined.ballast(words, { ...more, env: { PATH: nowhere, ...more.env } });
  await ballast(['project', 'create', 'Shop']);
  await ballast(['service', 'create', 'web', '--project', 'shop']);
  repository = `${ours.slug}/shop/web`;
  const { admin } = ours.tokens;
  const image = await handMadeLayout([[{ name: 'run', content: 'a program' }]], { hostBound: true });
  ({ digest } = image);
  const token = 'token' in admin ? admin.token : '';
  await pushLayout(image.layout, { url: api.url, repository, token, tag: '1.2' });
});
afterAll(() => joined?.close());

async function imageOf(service: string): Promise<string | undefined> {
  const { out } = await ballast(['service', 'show', '--project', 'shop', '--service', service]);
  return /^image +(\S+)$/m.exec(out)?.[1];
}
async function draft(): Promise<string> {
  const { api, ours } = joined;
  const environments = await api.call('GET', `/api/v1/projects/${await project()}/environments`, {
    as: ours.tokens.admin,
  });
  const { items } = environments.body as { items: { id: string; slug: string }[] };
  const staging = items.find(({ slug }) => slug === 'staging')?.id;
  const { body } = await api.call('GET', `/api/v1/environments/${staging}/change-set`, { as: ours.tokens.admin });
  return JSON.stringify(
    (body.items as { label: string; serviceSlug: string }[]).map((one) => `${one.serviceSlug} ${one.label}`),
  );
}
async function project(): Promise<string> {
  const { out } = await ballast(['project', 'list', '--json']);
  return JSON.parse(out).projects[0].id;
}

test('a name that is none of here is said to be none, and nothing is created', async () => {
  const none = await ballast(['deploy', 'web:9', '--service', 'other', '--yes', '--no-wait']);
  expect(none).toMatchObject({ code: 2, out: '', err: expect.stringContaining('"web:9" is no path and names no reg') });
  const odd = await ballast(['deploy', `${new URL(joined.api.url).host}/web:1.2`, '--yes', '--no-wait']);
  expect(odd).toMatchObject({ code: 2, err: expect.stringContaining(`${joined.ours.slug}/<project>/<service>`) });
  expect((await ballast(['deploy', ':1.2', '--no-wait'])).err).toContain('Say by --service whose image :1.2 is');
});

test('an image that was pushed here is deployed by each of its names', async () => {
  const host = new URL(joined.api.url).host;
  const names = [`${host}/${repository}`, repository, 'shop/web', 'web'];
  for (const name of names) {
    const done = await ballast(['deploy', `${name}:1.2`, '--no-wait', '--json', '--force']);
    expect([name, done.code, done.err]).toMatchObject([name, 0, expect.anything()]);
    expect(JSON.parse(done.out)).toMatchObject({ project: 'shop', environment: 'staging' });
    expect([name, await imageOf('web')]).toEqual([name, ':1.2']);
    const said = `${name}:1.2 is an image of this installation's registry, ${repository}; docker.io/`;
    if (names.indexOf(name) > 1) expect(done.err).toContain(said);
  }
  const byDigest = await ballast(['deploy', `${host}/${repository}@${digest}`, '--no-wait']);
  expect([byDigest.code, await imageOf('web')]).toEqual([0, `@${digest}`]);
  const alone = await ballast(['deploy', ':1.2', '--project', 'shop', '--service', 'web', '--no-wait']);
  expect([alone.code, await imageOf('web')]).toEqual([0, ':1.2']);
});

test('another service of the project is deployed with it', async () => {
  const done = await ballast(['deploy', 'web:1.2', '--service', 'canary', '--yes', '--no-wait', '--json']);
  expect([done.code, done.err]).toEqual([0, expect.stringContaining("is an image of this installation's registry")]);
  expect(JSON.parse(done.out).deployments).toMatchObject([{ serviceName: 'canary' }]);
  expect(await imageOf('canary')).toBe(`${repository}:1.2`);
});

test('a deployment that is refused leaves what is staged as it was, and the next one does not meet it', async () => {
  const { deployer } = joined.ours.tokens;
  const other = { BALLAST_TOKEN: 'token' in deployer ? deployer.token : '' };
  const place = ['--project', 'shop'];
  await ballast(['var', 'set', 'MINE=1', ...place, '--service', 'canary']);
  await ballast(['var', 'set', 'OURS=theirs', ...place, '--service', 'web'], { env: other });
  const before = await draft();
  expect(JSON.parse(before)).toHaveLength(2);
  const refused = ['deploy', `${repository}:9`, '--no-wait', ...place, '--set', 'OURS=mine', '--all'];
  for (const service of ['web', 'other']) {
    const { code, err, out } = await ballast([...refused, '--service', service, '--yes']);
    expect([code, out, err]).toEqual([
      1,
      '',
      expect.stringContaining(`${repository} has no such image; push it first`),
    ]);
    expect(await draft()).toBe(before);
  }
  expect((await ballast(['service', 'list', ...place])).out).not.toContain('other');
  // Others' changes of the very service are still asked about; those of another service stay staged.
  const unasked = await ballast(['deploy', `${repository}:1.2`, '--no-wait', ...place, '--service', 'web']);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('Variable OURS (web), staged by') });
  expect(await draft()).toBe(before);
  const again = await ballast(['deploy', 'web:1.2', '--no-wait', ...place, '--service', 'canary', '--set', 'A=1']);
  expect([again.code, again.err]).toEqual([0, expect.stringContaining('1 other change stays staged in staging')]);
  expect(JSON.parse(await draft())).toEqual([expect.stringMatching(/^web .*OURS/)]);
});
