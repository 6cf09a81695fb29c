import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { type JoinedCluster, joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';
import { machine } from '../../test/seeds/seed.ts';

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

interface Told {
  deployments: { id: string; projectId: string; releaseNumber: number }[];
}

/** As its actor and agent would. */
async function goesLive({ id, projectId }: Told['deployments'][number]): Promise<void> {
  const { api, ours } = joined;
  const project = { organizationId: ours.organizationId, projectId };
  await effect(api.database, machine, (one) => admit(one, project, { event: 'claim', id }));
  await effect(api.database, machine, (one) => admit(one, project, { event: 'finish', id, state: 'live' }));
}

async function counted(): Promise<{ deployments: number; releases: number }> {
  const of = async (table: 'deployment' | 'release') =>
    (await joined.api.database.kysely.selectFrom(table).select('id').execute()).length;
  return { deployments: await of('deployment'), releases: await of('release') };
}

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
  expect((await ballast(['var', 'list'])).out).not.toContain('MINE');
  const all = await ballast([...words, '--all']);
  const { deployments }: Told = JSON.parse(all.out);
  expect([all.code, deployments]).toMatchObject([0, [{ releaseNumber: 2 }]]);
  for (const one of deployments) await goesLive(one);
});

test('the very same is not deployed again when it is live, unless that is forced', async () => {
  const before = await counted();
  const said = 'web is already live in staging, as release 2; --force deploys it again.\n';
  for (const words of [[layout], ['--staged']]) {
    expect(await ballast(['deploy', ...words, '--no-wait'])).toMatchObject({
      code: 0,
      err: expect.stringContaining(said),
    });
  }
  const told = await ballast(['deploy', layout, '--no-wait', '--json']);
  expect([told.code, JSON.parse(told.out)]).toMatchObject([0, { environment: 'staging', deployments: [] }]);
  const unsaid = await ballast(['deploy', '--staged', '--force', '--project', 'shop'], { cwd: joined.directory });
  expect(unsaid).toMatchObject({ code: 2, err: expect.stringContaining('Say by --service what --force deploys') });
  expect(await counted()).toEqual(before);

  const forced = await ballast(['deploy', layout, '--force', '--no-wait', '--json']);
  expect([forced.code, JSON.parse(forced.out).deployments]).toMatchObject([0, [{ serviceName: 'web' }]]);
  expect(await counted()).toMatchObject({ deployments: before.deployments + 1 });
});

test('production is named and held for an approval, which no token without a person decides', async () => {
  const held = await ballast(['deploy', layout, '--environment', 'production']);
  expect(held).toMatchObject({ code: 5, err: expect.stringMatching(/\.\/ballast approve [0-9a-f-]{36}/) });
  const decided = await ballast(['reject', '--reason', 'Not today']);
  // Only a person decides, and this token was made by no person.
  expect(decided).toMatchObject({ code: 1, out: '' });
});

test('an approval that another one has made stale is refreshed, and approved by its new id', async () => {
  const { owner } = joined.ours.sessions;
  const body = { name: 'of a person', role: 'admin' };
  const made = await joined.api.call('POST', '/api/v1/api-tokens', { as: owner, body });
  const person: typeof ballast = (words) => ballast(words, { env: { BALLAST_TOKEN: String(made.body.secret) } });
  const [production, shop] = [
    ['--environment', 'production'],
    ['--project', 'shop', '--service', 'web'],
  ];
  const held = async (...words: string[]): Promise<string> => {
    const { code, err } = await ballast(['deploy', '--staged', ...words, ...production, ...shop]);
    expect([code, err]).toEqual([5, expect.stringMatching(/\.\/ballast approve [0-9a-f-]{36}/)]);
    return /\.\/ballast approve ([0-9a-f-]{36})/.exec(err)?.[1] ?? '';
  };
  expect(await person(['approve', '--reason', 'Open'])).toMatchObject({ code: 0 });
  const older = await held('--set', 'A=2', '-m', 'Customers ask for it');
  const newer = await held('--set', 'B=1');
  expect(await person(['approve', newer])).toMatchObject({ code: 0, out: `The approval ${newer} is approved.\n` });
  const stale = await person(['approve', older]);
  expect(stale).toMatchObject({ code: 1, out: '' });
  expect(stale.err).toContain(`\`./ballast approve --refresh ${older}\` refreshes it.`);
  // Waiting for it would never end.
  expect(await ballast(['deploy', '--staged', '--wait', ...production, ...shop])).toMatchObject({
    code: 8,
    err: expect.stringContaining(`\`./ballast approve ${older} --refresh\` asks anew`),
  });
  const refreshed = await person(['approve', '--refresh', older]);
  const [, fresh = ''] = /^The approval ([0-9a-f-]{36}) takes its place/.exec(refreshed.out) ?? [];
  expect([refreshed.code, fresh]).toEqual([0, expect.stringMatching(/./)]);
  expect(fresh).not.toBe(older);
  expect(await person(['approve', older])).toMatchObject({ code: 1, err: expect.stringContaining('superseded') });
  const approved = await person(['approve', fresh, '--json']);
  expect([approved.code, JSON.parse(approved.out)]).toMatchObject([
    0,
    { id: fresh, decision: 'approved', reason: 'Customers ask for it' },
  ]);
});
