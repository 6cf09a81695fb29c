import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { type GitServer, gitServer } from '../git/git-server.ts';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';
import { runBallast } from '../installation/ballast-command.ts';
import { Installation } from '../installation/installation.ts';

let installation: Installation;
let git: GitServer;
let env: Record<string, string>;
let token = '';

beforeAll(async () => {
  git = await gitServer({ credential: 'ada:swordfish' });
  await git.create('team/app.git');
  installation = await Installation.start('built-commit', {
    ...{ LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) },
    OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
  });
  token = (await installation.token('admin')).token;
  env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
  await until('the local cluster is ready', async () =>
    / ready /.test((await runBallast(['cluster', 'list'], env)).stdout),
  );
});
afterAll(async () => {
  await installation?.remove();
  await git?.close();
});

const server = (text: string) => `require('http').createServer((q, a) => a.end('${text}')).listen(process.env.PORT)`;

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answered = await fetch(`${installation.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answered.text();
  if (!answered.ok) throw new Error(`${method} ${path}: ${answered.status} ${text}`);
  return JSON.parse(text) as T;
}

test('a private repository is built when its service is applied, and again by a push that its host signs', async () => {
  const { scripts } = { scripts: { start: 'node server.js' } };
  const files = { 'package.json': JSON.stringify({ name: 'app', scripts }), 'server.js': server('one') };
  const first = await git.commit('team/app.git', files, { message: 'First' });
  const host = { host: git.url, label: 'Local', token: 'ada:swordfish' };
  const connection = await call<{ id: string; webhookUrl: string }>('POST', '/git-connections/selfhosted-token', host);
  const { project } = await call<{ project: { id: string } }>('POST', '/projects', { name: 'app' });
  const source = { kind: 'git', gitConnectionId: connection.id, repository: 'team/app' };
  const { service } = await call<{ service: { id: string } }>('POST', `/projects/${project.id}/services`, {
    ...{ name: 'web', source },
  });
  const deployed = await runBallast(
    ['deploy', '--staged', '--project', 'app', '--environment', 'staging', '--json'],
    env,
  );
  expect(deployed).toMatchObject({ code: 0 });
  expect(`${deployed.stdout}${deployed.stderr}`).not.toContain('swordfish');
  const { addresses }: { addresses: string[] } = JSON.parse(deployed.stdout);
  const { hostname, port } = new URL(addresses[0] ?? '');
  const answers = async () => (await through(`http://127.0.0.1:${port}`, hostname)).body;
  expect(await answers()).toBe('one');

  const second = await git.commit('team/app.git', { 'server.js': server('two') }, { message: 'Second' });
  const { secret } = await call<{ secret: string }>('POST', `/git-connections/${connection.id}/webhook-secret`);
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
  const { items } = await call<{ items: Build[] }>('GET', `/services/${service.id}/builds`);
  expect(items.map(({ commitSha, trigger, status }) => [commitSha, trigger, status])).toEqual([
    [second, 'push', 'succeeded'],
    [first, 'change-set', 'succeeded'],
  ]);
});
