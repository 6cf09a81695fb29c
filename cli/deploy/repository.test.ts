import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { takeBuildOutput } from '../../db/builds/output.ts';
import { effect } from '../../db/engine/effect.ts';
import { awaitingApproval } from '../../test/builds/awaiting-approval.ts';
import { seedSource } from '../../test/builds/seed-source.ts';
import { joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { eventsOf } from '../../test/commands/command-host.ts';
import { gitServer } from '../../test/git/git-server.ts';
import { until } from '../../test/ground/until.ts';
import { machine } from '../../test/seeds/seed.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';

const git = await gitServer();
await git.create('team/app.git');
const commit = await git.commit('team/app.git', { 'index.html': 'Hello' });
const address = `${git.url}/team/app.git`;
const joined = await joinedCluster({ OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
const { ballast } = joined;
afterAll(async () => {
  await joined.close();
  await git.close();
});

const call = async (path: string) => {
  const { body } = await joined.api.call('GET', `/api/v1${path}`, { as: joined.ours.tokens.admin });
  return body as { items: Record<string, unknown>[] };
};
const builds = async () => (await call('/builds')).items;
async function environment(slug: string): Promise<Record<string, unknown>> {
  const [project] = (await call('/projects')).items;
  const { items } = await call(`/projects/${project?.id}/environments`);
  return items.find((one) => one.slug === slug) ?? {};
}
const draft = async () => (await call(`/environments/${(await environment('staging')).id}/change-set`)).items;

test('a repository that cannot be read is refused, and leaves nothing staged', async () => {
  const none = ['deploy', '--git', `${git.url}/team/none.git`, '--branch', 'main', '--project', 'app', '--yes'];
  const refused = await ballast(none);
  expect([refused.code, refused.out, refused.err]).toEqual([
    1,
    '',
    expect.stringContaining('The repository is not there'),
  ]);
  expect(await draft()).toEqual([]);
  expect((await environment('staging')).gitBranch).toBe('');
  expect((await ballast(['service', 'list', '--project', 'app'])).out).not.toContain('none');
  expect(await builds()).toEqual([]);
});

test('a repository is staged, applied and built at once, by its address alone or behind --git', async () => {
  const first = await ballast([
    'deploy',
    address,
    '--project',
    'app',
    '--yes',
    '--no-wait',
    '--set',
    'A=1',
    '-m',
    'One',
  ]);
  expect([first.code, await draft()]).toEqual([0, []]);
  expect(await builds()).toMatchObject([{ commitSha: commit, branch: 'main', status: 'queued', serviceName: 'app' }]);
  const [set] = (await call(`/environments/${(await environment('staging')).id}/change-sets`)).items;
  expect(set).toMatchObject({ message: 'One' });
  // Nothing of the settings changes, and the branch is further: it is built as it is now.
  const next = await git.commit('team/app.git', { 'index.html': 'Hello again' });
  const stopped = await ballast(['build', 'cancel', String((await builds())[0]?.id)]);
  expect(stopped.code, stopped.err).toBe(0);
  const again = ballast(['deploy', '--git', address, '--project', 'app', '--service', 'app', '-m', 'Two', '--json']);
  const newer = await joinedBuild(next);
  expect(newer).toMatchObject({ message: 'Two' });
  const cancelled = await joined.api.call('POST', `/api/v1/builds/${newer.id}/cancel`, {
    as: joined.ours.tokens.admin,
  });
  expect(cancelled.status).toBeLessThan(300);
  const told = await again;
  expect(told.code).toBe(1);
  expect(eventsOf(told)).toMatchObject([
    { event: 'build', buildId: newer.id, status: 'queued' },
    { status: 'cancelled' },
  ]);
});

/** The build of that commit, once it was asked for and somebody has had the time to look at it. */
async function joinedBuild(commitSha: string): Promise<{ id: string }> {
  return await until(
    'the build',
    async () => (await builds()).find((one) => one.commitSha === commitSha) as { id: string },
  );
}

test('commands that follow a build tell it in lines, and its log stays beside them', async () => {
  const place = ['--project', 'app', '--environment', 'staging', '--service', 'app'];
  const { api, ours } = joined;
  const follow = async (...words: string[]) => {
    const known = new Set((await builds()).map(({ id }) => id));
    const followed = ballast([...words, '--json']);
    const made = await until('the build', async () => (await builds()).find(({ id }) => !known.has(id)));
    const id = String(made.id);
    await effect(api.database, machine, (taking) =>
      takeBuildOutput(taking, api.keyring, { id, organizationId: ours.organizationId }, [piece('$ npm ci\n')]),
    );
    await api.call('POST', `/api/v1/builds/${id}/cancel`, { as: ours.tokens.admin });
    return { id, told: await followed };
  };
  const created = await follow('build', 'create', ...place, '--follow');
  const retried = await follow('build', 'retry', created.id, '--follow');
  for (const { id, told } of [created, retried]) {
    expect([told.code, JSON.parse(told.out)]).toMatchObject([1, { id, status: 'cancelled' }]);
    expect(eventsOf(told).at(-1)).toMatchObject({ event: 'build', buildId: id, service: 'app', status: 'cancelled' });
    expect(told.err).toContain('\n  $ npm ci\n');
  }
  const read = await ballast(['build', 'log', created.id, '--json']);
  expect([read.code, JSON.parse(read.out)]).toMatchObject([0, { id: created.id, status: 'cancelled' }]);
  expect(eventsOf(read)).toMatchObject([{ event: 'build', buildId: created.id, status: 'cancelled' }]);
  expect(read.err).toContain('  $ npm ci\n');
  expect(await ballast(['build', 'log', created.id])).toEqual({ code: 0, out: '$ npm ci\n', err: '' });
});

const piece = (text: string) => ({ number: 0, at: new Date(), text, progress: {} });

test('in production a build waits for the approval of its settings, which a line names', async () => {
  const words = ['deploy', '--git', address, '--project', 'app', '--service', 'app', '--environment', 'production'];
  const held = await ballast([...words, '--json']);
  const [approval] = (await call('/approvals')).items;
  expect([held.code, eventsOf(held)]).toMatchObject([
    5,
    [{ event: 'approval', approvalId: approval?.id, decision: '', stale: false }],
  ]);
  expect(held.err).not.toContain('ballast approve');
});

test('the branch is that of the environment: set where there is none, and not changed for one service', async () => {
  await git.commit('team/app.git', { 'index.html': 'Next' }, { branch: 'next' });
  const place = ['--project', 'app', '--no-wait'];
  const set = await ballast(['deploy', '--git', address, '--branch', 'next', '--service', 'docs', '--yes', ...place]);
  expect([set.code, set.err]).toEqual([0, expect.stringContaining('staging follows the branch next from now on')]);
  expect((await environment('staging')).gitBranch).toBe('next');
  const other = await ballast(['deploy', '--git', address, '--branch', 'main', '--service', 'docs', ...place]);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('staging follows the branch next')]);
});

test('what is no address is refused with the way to private ones; options of a repository need one', async () => {
  for (const word of ['git@github.com:team/app.git', 'ssh://git@github.com/team/app.git'])
    expect(await ballast(['deploy', word])).toMatchObject({
      code: 2,
      err: expect.stringContaining('a Git connection'),
    });
  const odd = await ballast(['deploy', '--staged', '--branch', 'main', '--project', 'app']);
  expect(odd).toMatchObject({ code: 2, err: expect.stringContaining('--branch is of a repository') });
  const none = await ballast(['deploy', '--git', 'team/app', '--connection', 'None', '--project', 'app', '--yes']);
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('There is no Git connection "None"') });
});

test('the source is staged as a setting, and other words for it name the way', async () => {
  const set = (word: string) => ballast(['service', 'set', word, '--project', 'app', '--service', 'docs']);
  expect((await set(`source=${address}#:site`)).code).toBe(0);
  const [item] = await draft();
  expect(JSON.parse(String(item?.to))).toMatchObject({ kind: 'git', gitUrl: address, context: 'site' });
  expect(await set(`source=${address}#main:site`)).toMatchObject({
    ...{ code: 2, err: expect.stringContaining(`\`./ballast deploy --git ${address} --branch main\` sets it`) },
  });
  expect(await set(`gitUrl=${address}`)).toMatchObject({ code: 2, err: expect.stringContaining('deploy --git URL') });
});

test('variables that its template asks for are named as soon as the build has looked at the repository', async () => {
  const words = [
    'deploy',
    '--git',
    address,
    '--project',
    'app',
    '--service',
    'asking',
    '--yes',
    '--set',
    'GIVEN=swordfish',
  ];
  const before = new Set((await builds()).map(({ id }) => id));
  const child = joined.spawnBallast(words);
  let told = '';
  child.stderr.on('data', (text) => {
    told += text;
  });
  const build = await until('the build', async () => (await builds()).find(({ id }) => !before.has(id)));
  const detection = { envTemplate: '.env.example', requiredVariables: ['GIVEN', 'DATABASE_URL'] };
  await joined.api.database.kysely
    .updateTable('build')
    .set({ builder: JSON.stringify({ engine: '', detection }) } as never)
    .where('id', '=', String(build.id))
    .execute();
  const sentence =
    '! asking asks for DATABASE_URL (.env.example): set it with --set DATABASE_URL=…; it may start without.\n';
  await until('it is told', async () => told.includes(sentence));
  expect((await builds()).find(({ id }) => id === build.id)).toMatchObject({ status: 'queued' });
  expect((await ballast(['build', 'cancel', String(build.id)])).code).toBe(0);
  const [code] = await once(child, 'close');
  expect([code, told.split('asks for').length, told.includes('swordfish')]).toEqual([1, 2, false]);
});

// Last, since commands choose a cluster by themselves while there is one.
test('the build of a folder that waits in production names its approval, which is given and followed by one command', async () => {
  const { api, ours } = joined;
  const place = await seedPlace(api.database, ours.organizationId);
  await awaitingApproval(api.database, place);
  const body = { environmentId: place.environmentId, sourceId: await seedSource(api.database, place) };
  const as = ours.tokens.deployer;
  const { id } = (await api.call('POST', `/api/v1/services/${place.serviceId}/builds`, { as, body })).body;
  const approve = ['build', 'approve', String(id)];
  expect((await ballast(['build', 'show', String(id)])).out).toContain(
    `\`./ballast ${approve.join(' ')}\` approves it.`,
  );
  const following = ballast([...approve, '--follow', '--json']);
  await until('it is approved', async () => (await api.call('GET', `/api/v1/builds/${id}`, { as })).body.approvedBy);
  await api.call('POST', `/api/v1/builds/${id}/cancel`, { as });
  const told = await following;
  expect([told.code, JSON.parse(told.out)]).toMatchObject([1, { id, status: 'cancelled', approvedBy: {} }]);
  expect(eventsOf(told)).toMatchObject([
    { event: 'build', buildId: id, status: 'queued', awaitsApproval: false },
    { status: 'cancelled' },
  ]);
  expect(await ballast(approve)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('ballast: ') });
});
