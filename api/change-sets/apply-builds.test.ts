import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { noSource } from '../../domain/services/settings.ts';
import { ok } from '../../test/api/client.ts';
import { gitServer } from '../../test/git/git-server.ts';
import { ApplyGround } from '../../test/seeds/apply-ground.ts';

const at = new ApplyGround();
const { applyOf, apply, call, create, stage } = at;
let commit = '';

await at.open();
const git = await gitServer();
await git.create('team/app.git');
await git.create('team/empty.git');
commit = await git.commit('team/app.git', { 'index.html': 'Hello' });
beforeEach(async () => {
  await at.begin();
  const { clusterId } = await at.ours.place();
  await at.ours.rows.set('environment', { project_id: at.projectId }, { cluster_id: clusterId });
});
afterAll(async () => {
  await at.close();
  await git.close();
});

const source = (repository: string) => ({
  ...{ kind: 'service.set', serviceId: at.service.serviceId, key: 'source' },
  value: { ...noSource, kind: 'git', gitUrl: `${git.url}/${repository}` },
});
interface Build {
  trigger: string;
  commitSha: string;
  branch: string;
  repository: string;
  status: string;
}

test('a service with a repository is built of the commit at the top of the branch, and is no service without a release', async () => {
  await stage(at.staging, create(), source('team/app.git'));
  const { firstDeploys, builds, deployments, unreleasedServiceIds, changeSet } = await apply(at.staging);
  const [build] = builds;
  expect(firstDeploys).toEqual([{ serviceId: at.service.serviceId, buildId: build?.id }]);
  expect([deployments, unreleasedServiceIds, changeSet.state]).toEqual([[], [], 'applying']);
  expect(ok<Build>(await call('GET', `/builds/${build?.id}`))).toMatchObject({
    ...{ trigger: 'change-set', commitSha: commit, branch: 'main', repository: 'team/app', status: 'queued' },
  });
});

test('the branch is that of the environment', async () => {
  await call('PATCH', `/environments/${at.staging}`, { gitBranch: 'next' }, at.ours.sessions.admin);
  await stage(at.staging, create(), source('team/app.git'));
  const missing = await applyOf(at.staging);
  expect([missing.status, missing.text]).toEqual([409, expect.stringContaining('it has no branch \\"next\\"')]);
  const next = await git.commit('team/app.git', { 'index.html': 'Next' }, { branch: 'next' });
  const { builds } = await apply(at.staging);
  expect(ok<Build>(await call('GET', `/builds/${builds[0]?.id}`))).toMatchObject({ commitSha: next, branch: 'next' });
});

test.each([
  ['team/missing.git', 'is not there, or it is private'],
  ['team/empty.git', 'is empty'],
])('%s cannot be applied, and nothing is', async (repository, why) => {
  await stage(at.staging, create(), source(repository));
  const refused = await applyOf(at.staging);
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(why)]);
  expect((await at.draft(at.staging)).items).not.toEqual([]);
});

test('in production the approval says which commit is built, and nothing is built before', async () => {
  await stage(at.production, create(), source('team/app.git'));
  const { approval, builds } = await apply(at.production);
  const { checks } = ok<{ checks: { id: string; detail: string }[] }>(await call('GET', `/approvals/${approval?.id}`));
  expect(checks.find(({ id }) => id === 'build')?.detail).toContain(`of team/app at ${commit.slice(0, 12)} (main)`);
  expect(ok<Build>(await call('GET', `/builds/${builds[0]?.id}`))).toMatchObject({ status: 'queued' });
});

/** An image of the repository is live there, as if it had been built. */
async function builtBefore(...items: object[]): Promise<void> {
  await stage(at.staging, create(), ...items);
  const { deployments } = await apply(at.staging);
  await at.goLive(deployments[0]?.id ?? '');
  const value = sql`${JSON.stringify(source('team/app.git').value)}::jsonb`;
  await at.ours.rows.set(
    'environment_service',
    { environment_id: at.staging },
    { settings: sql`jsonb_set(settings, '{source}', ${value})` },
  );
  await at.ours.rows.set(
    'release',
    { environment_id: at.staging },
    { content: sql`jsonb_set(content, '{settings,source}', ${value})` },
  );
}

test.each<[string, object[], boolean]>([
  ['a variable of run time', [at.variable('RUNS', '2')], false],
  ['one that builds see, too', [at.variable('SEEN', '2')], true],
  ['one of builds alone', [at.variable('ALONE', '2')], true],
  ['one that builds see from now on', [at.variable('RUNS', '1', { buildTime: 'also' })], true],
  ['one that builds do not see any more', [at.variable('SEEN', '1', { buildTime: 'no' })], true],
  ['one that leads to another value', [{ kind: 'variable.set', key: 'REGION', value: 'us' }], true],
])('a change of %s makes a new image only if builds see it', async (_, items, builds) => {
  const also = { buildTime: 'also' };
  const own = items.map((item) => ('serviceId' in item ? { ...item, serviceId: at.service.serviceId } : item));
  await builtBefore(
    ...[at.variable('RUNS', '1'), at.variable('SEEN', '1', also), at.variable('ALONE', '1', { buildTime: 'only' })],
    ...[{ kind: 'variable.set', key: 'REGION', value: 'eu' }, at.variable('WHERE', 'in ${{shared.REGION}}', also)],
  );
  await stage(at.staging, ...own);
  const applied = await apply(at.staging);
  expect([applied.builds.length, applied.deployments.length]).toEqual(builds ? [1, 0] : [0, 1]);
});
