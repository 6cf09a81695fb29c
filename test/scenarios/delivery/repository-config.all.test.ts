import { createHmac } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { gitServer } from '../../git/git-server.ts';
import { until } from '../../ground/until.ts';

const git = await gitServer({ credential: 'ada:swordfish' });
await git.create('team/app.git');
const building = await BuildingCluster.start('repository-config', { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
afterAll(async () => {
  await building.close();
  await git.close();
});

interface Build {
  id: string;
  status: string;
  error: string;
  commitSha: string;
  releaseId?: string;
  repositoryConfig?: { status: string; path: string; commit: string; summary: string; problems: object[] };
}
interface Release {
  id: string;
  repositoryConfig?: { path: string; commit: string; effective: { processes: { name: string }[] } };
}
interface Page<T> {
  items: T[];
}

const server = `require('http').createServer((q, a) =>
  a.end([process.argv[2], process.env.LEVEL, process.env.OWN].join(' '))).listen(process.env.PORT)`;
const file = (argument: string, level: string) => `
env: {LEVEL: ${level}, OWN: file}
releaseCommand: [/usr/local/bin/node, migrate.js]
processes:
  web: {entrypoint: [/usr/local/bin/node, server.js], cmd: [${argument}], checks: {readiness: /}}
`;

test('the file of a repository says how it runs: what is pushed with another file runs otherwise, and a rollback runs as before', async () => {
  const first = await git.commit('team/app.git', {
    'package.json': JSON.stringify({ name: 'app', scripts: { start: 'node server.js' } }),
    'server.js': server,
    'migrate.js': "console.log('migrated with ' + process.env.LEVEL)",
    'ballast.yaml': file('one', 'first'),
  });
  const host = { host: git.url, label: 'Local', token: 'ada:swordfish' };
  const connection = await building.call<{ id: string; webhookUrl: string }>(
    'POST',
    '/git-connections/selfhosted-token',
    host,
  );
  const repository = { gitConnectionId: connection.id, repository: 'team/app' };
  expect(await building.call('POST', '/repository-config/detect', { ...repository, branch: 'main' })).toMatchObject({
    ...{ status: 'ok', commit: first, base: { env: { LEVEL: 'first', OWN: 'file' } } },
  });
  const { project } = await building.call<{ project: { id: string } }>('POST', '/projects', { name: 'app' });
  const { service } = await building.call<{ service: { id: string } }>('POST', `/projects/${project.id}/services`, {
    ...{ name: 'web', source: { kind: 'git', ...repository } },
  });
  const at = ['--project', 'app', '--environment', 'staging'];
  const answer = await building.deploy('--staged', ...at);
  const answers = async () => (await answer()).body;
  expect(await answers()).toBe('one first file');
  const latest = async () => (await building.call<Page<Build>>('GET', `/services/${service.id}/builds`)).items[0];
  const built = await latest();
  expect(built?.repositoryConfig).toMatchObject({ status: 'ok', path: 'ballast.yaml', commit: first, problems: [] });
  const { release } = await building.call<{ release: Release }>('GET', `/releases/${built?.releaseId}`);
  expect(release.repositoryConfig).toMatchObject({
    ...{ path: 'ballast.yaml', commit: first, effective: { processes: [{ name: 'web' }] } },
  });

  // What is set for the service goes before the file, without a build: the file stays with the image.
  await building.deploy('--staged', '--service', 'web', '--set', 'OWN=service', '--yes', ...at);
  await until('the variable of the service counts', async () => (await answers()) === 'one first service');

  const { secret } = await building.call<{ secret: string }>(
    'POST',
    `/git-connections/${connection.id}/webhook-secret`,
  );
  const push = async (commit: string, before: string) => {
    const body = JSON.stringify({ repository: 'team/app', ref: 'refs/heads/main', commit, before });
    const now = Math.floor(Date.now() / 1_000);
    const signature = `t=${now},v1=${createHmac('sha256', secret).update(`${now}.${body}`).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-ballast-signature': signature };
    expect((await fetch(connection.webhookUrl, { method: 'POST', headers, body })).status).toBe(200);
  };
  const second = await git.commit('team/app.git', { 'ballast.yaml': file('two', 'second') });
  await push(second, first);
  await until('what was pushed answers', async () => (await answers()) === 'two second service');

  const third = await git.commit('team/app.git', { 'ballast.yaml': 'processes: {web: {prot: 1}}' });
  await push(third, second);
  await until('the build of a broken file fails', async () => (await latest())?.status === 'failed');
  expect(await latest()).toMatchObject({
    commitSha: third,
    error: expect.stringContaining('ballast.yaml cannot be used at line 1: processes.web.prot'),
    repositoryConfig: { status: 'invalid', problems: [{ line: 1, path: 'processes.web.prot' }] },
  });
  expect(await answers()).toBe('two second service');

  await building.call('POST', `/releases/${release.id}/rollback`, {});
  await until('the first release answers as it was frozen', async () => (await answers()) === 'one first file');
  const environment = await stagingOf(project.id);
  await until('the overview has the file of the first release', async () => {
    const overview = await building.call<{ services: Release[] }>('GET', `/environments/${environment}/overview`);
    return overview.services[0]?.repositoryConfig?.commit === first;
  });
});

async function stagingOf(projectId: string): Promise<string> {
  const { items } = await building.call<Page<{ id: string; slug: string }>>(
    'GET',
    `/projects/${projectId}/environments`,
  );
  return items.find(({ slug }) => slug === 'staging')?.id ?? '';
}
