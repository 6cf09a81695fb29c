import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JoinedCluster, joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';

let joined: JoinedCluster;
let ballast: JoinedCluster['ballast'];
let other: JoinedCluster['ballast'];
let layout: string;
let digest: string;

beforeAll(async () => {
  joined = await joinedCluster();
  const cwd = join(joined.directory, 'shop');
  mkdirSync(cwd);
  ballast = (words, more = {}) => joined.ballast(words, { cwd, ...more });
  const { deployer } = joined.ours.tokens;
  const token = 'token' in deployer ? deployer.token : '';
  other = (words) => ballast(words, { env: { BALLAST_TOKEN: token } });
  ({ layout, digest } = await handMadeLayout([[{ name: 'run', content: 'a program' }]], { hostBound: true }));
});
afterAll(() => joined?.close());

test('nothing is created where nobody can be asked, unless it was said', async () => {
  const refused = await ballast(['deploy', layout, '--service', 'web']);
  expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('give --yes to create it') });
  expect((await ballast(['project', 'list'])).out).toContain('There is no project yet');
});

test('an image is pushed, staged by its digest and deployed to staging, and the directory remembers it', async () => {
  const words = ['deploy', layout, '--service', 'web', '--yes', '--port', '3000', '--set', 'A=1', '-m', 'First'];
  const done = await ballast([...words, '--no-wait', '--json']);
  expect(done.err).toContain('the image is pushed');
  expect([done.code, JSON.parse(done.out)]).toMatchObject([
    0,
    {
      project: 'shop',
      environment: 'staging',
      deployments: [{ serviceName: 'web', releaseNumber: 1, state: 'pending', changeSetMessage: 'First' }],
    },
  ]);
  const shown = await ballast(['service', 'show']);
  expect(shown.out).toMatch(new RegExp(`^image +@${digest}$`, 'm'));
  expect(shown.out).toMatch(/^web +http +3000 /m);
  expect((await ballast(['status'])).out).toMatch(/^web +- .*release 1 pending/m);
});

test('a second time nothing is staged, and what is under way is followed for as long as was said', async () => {
  const again = await ballast(['deploy', layout, '--timeout', '1s']);
  expect(again).toMatchObject({ code: 5, out: '', err: expect.stringContaining('this is under way there') });
  expect(again.err).toContain('`./ballast cancel --project shop --environment staging` cancels it');
});

test('a deployment that waits is cancelled', async () => {
  expect(await ballast(['cancel', '--timeout', '10s'])).toMatchObject({ code: 0 });
  expect(await ballast(['cancel'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('No deployment is under way'),
  });
});

test('what others have staged does not go along unseen', async () => {
  await other(['var', 'set', 'THEIRS=1']);
  const words = ['deploy', '--staged', '--set', 'MINE=1', '--yes', '--no-wait', '--json'];
  const refused = await ballast(words);
  expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Variable THEIRS (web), staged by') });
  expect((await ballast(['var', 'list'])).out).toMatch(/^web +MINE +1 +staged: set/m);
  const all = await ballast([...words, '--all']);
  expect([all.code, JSON.parse(all.out).deployments]).toMatchObject([0, [{ releaseNumber: 2 }]]);
});

test('production is named and held for an approval, which no token without a person decides', async () => {
  const held = await ballast(['deploy', layout, '--environment', 'production']);
  expect(held).toMatchObject({ code: 5, err: expect.stringMatching(/\.\/ballast approve [0-9a-f-]{36}/) });
  const decided = await ballast(['reject', '--reason', 'Not today']);
  // Only a person decides, and this token was made by no person.
  expect(decided).toMatchObject({ code: 1, out: '' });
});
