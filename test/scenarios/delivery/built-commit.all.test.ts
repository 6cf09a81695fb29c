import { createHmac } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { BuildingCluster } from '../../builds/building-cluster.ts';
import { gitServer } from '../../git/git-server.ts';
import { until } from '../../ground/until.ts';

const git = await gitServer({ credential: 'ada:swordfish' });
await git.create('team/app.git');
const building = await BuildingCluster.start('built-commit', { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
building.installation.secrets.add('swordfish');
afterAll(async () => {
  await building.close();
  await git.close();
});

const server = (text: string) => `require('http').createServer((q, a) => a.end('${text}')).listen(process.env.PORT)`;

test('a private repository is built when its service is applied, and again by a push that its host signs', async () => {
  const { scripts } = { scripts: { start: 'node server.js' } };
  const files = { 'package.json': JSON.stringify({ name: 'app', scripts }), 'server.js': server('one') };
  const first = await git.commit('team/app.git', files, { message: 'First' });
  const host = { host: git.url, label: 'Local', token: 'ada:swordfish' };
  const connection = await building.call<{ id: string; webhookUrl: string }>(
    'POST',
    '/git-connections/selfhosted-token',
    host,
  );
  const { project } = await building.call<{ project: { id: string } }>('POST', '/projects', { name: 'app' });
  const source = { kind: 'git', gitConnectionId: connection.id, repository: 'team/app' };
  const { service } = await building.call<{ service: { id: string } }>('POST', `/projects/${project.id}/services`, {
    ...{ name: 'web', source },
  });
  const answer = await building.deploy('--staged', '--project', 'app', '--environment', 'staging');
  const answers = async () => (await answer()).body;
  expect(await answers()).toBe('one');

  const second = await git.commit('team/app.git', { 'server.js': server('two') }, { message: 'Second' });
  const { secret } = await building.call<{ secret: string }>(
    'POST',
    `/git-connections/${connection.id}/webhook-secret`,
  );
  const body = JSON.stringify({ repository: 'team/app', ref: 'refs/heads/main', commit: second, before: first });
  const at = Math.floor(Date.now() / 1_000);
  const signature = `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-ballast-signature': signature };
  const told = await fetch(connection.webhookUrl, { method: 'POST', headers, body });
  expect([told.status, await told.json()]).toMatchObject([200, { builds: [{ service: 'web' }] }]);
  await until('the second commit answers', async () => (await answers()) === 'two');
  interface Build {
    commitSha: string;
    trigger: string;
    status: string;
  }
  const { items } = await building.call<{ items: Build[] }>('GET', `/services/${service.id}/builds`);
  expect(items.map(({ commitSha, trigger, status }) => [commitSha, trigger, status])).toEqual([
    [second, 'push', 'succeeded'],
    [first, 'change-set', 'succeeded'],
  ]);
});
